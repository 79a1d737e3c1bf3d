// Cycle counters inside programs; on this engine they count estimated cycles.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/SyncType.hpp>

namespace poplar {

// Wraps `prog` so that the result, UNSIGNED_INT[2] with the low word first,
// holds the cycles `prog` took.
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                  SyncType syncType, const DebugContext &debugContext = {});
// The same as declared by SDK 1.x.
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                  const std::string &debugPrefix = "");

// Appends a program that copies the cycle counter to the returned tensor.
Tensor cycleStamp(Graph &graph, program::Sequence &prog, unsigned tile,
                  SyncType syncType, const DebugContext &debugContext = {});

} // namespace poplar
