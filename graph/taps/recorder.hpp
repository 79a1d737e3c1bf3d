// The flight recorder: keeps the last rows of tensors on the device, and stops
// when something happens, so that what came before can be read.
#pragma once

#include "codelets/recorder.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <vector>

namespace popscope::graph {

// By which all rings of a program stop at the same update.
struct RecorderStop {
  poplar::Tensor lastUpdate; // UNSIGNED_INT scalar: kRecordsOn, or the update
  poplar::Tensor alarms;     // UNSIGNED_INT scalar
};

RecorderStop addRecorderStop(poplar::Graph &graph, unsigned tile,
                             const poplar::DebugContext &debugContext = {});

struct RecordedRow {
  poplar::Tensor row; // UNSIGNED_INT, begins with kRecordedWords words
  bool infinitiesIntended = false;
};

// Of consecutive rows, on one tile.
struct RecorderRing {
  poplar::Tensor words; // UNSIGNED_INT [slots * slotWords(rows)]
  std::size_t firstRow = 0, rows = 0;
  unsigned tile = 0;

  std::size_t bytes() const { return words.numElements() * sizeof(unsigned); }
};

// A tile holds no more than this of one call's rings, unless one row needs
// more.
constexpr std::size_t kMostRingBytes = 16 * 1024;

// Rings with a slot for each of the last `slots` executions. Until the recorder
// is stopped, each execution overwrites the oldest slot. A row that is not
// finite stops it, the first time and in all replicas.
std::vector<RecorderRing>
addRecorder(poplar::Graph &graph, const std::vector<RecordedRow> &rows,
            unsigned slots, const poplar::Tensor &execution,
            unsigned executionsPerUpdate, const RecorderStop &stop,
            unsigned firstTile, poplar::program::Sequence &prog,
            const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
