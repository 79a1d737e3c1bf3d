// The streams of taps, from the copy in the device's program to the queue on
// the host.
#pragma once

#include "graph/taps/device_stats.hpp"
#include "graph/taps/replica_merge.hpp"
#include "graph/taps/tap_point.hpp"
#include "outfeed/control/tap_control.hpp"
#include "outfeed/frames/frame_queue.hpp"
#include "outfeed/instances.hpp"
#include "outfeed/program/tap_mask.hpp"
#include "outfeed/tap_plan.hpp"

#include <poplar/Engine.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::outfeed {

// One stream to the host: the records of a unit that share a schedule, or all
// elements of one tensor.
struct TapSource {
  struct Record {
    TapId tap;
    std::size_t firstWord;
    graph::ElementOrder order;
    graph::MergedPlace merged = {}; // if they are merged: who sends it
  };
  std::string handle;
  unsigned number = 0;
  std::size_t bytes = 0; // of a transfer
  graph::TapMoment moment = graph::TapMoment::microBatch;
  UpdateSchedule schedule;
  std::vector<Record> records; // empty if the stream carries full tensors
  // Merged over all replicas, each of which sends a share of them.
  bool isMerged = false;
  // It carries a record that otherwise leaves together with others.
  bool isSpare = false;
  TapId full{};
  // It sends only where a condition holds: with an Evidence, after the header
  // of records or, after the number of the execution, before the elements of a
  // full tensor.
  bool isArmed = false;
  // Not empty: the stream carries these, the first time that `full` is bad.
  struct Dumped {
    TensorTraits tensor;
    std::size_t byte; // where its elements begin
  };
  std::vector<Dumped> dump;
};

// Appends the transfer of `tensor`, which is flat, and fills in its bytes.
void addTransfer(poplar::Graph &graph, TapSource &source,
                 const poplar::Tensor &tensor, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext);

// The header of a frame of records; `execution` is the number of those so far.
poplar::Tensor headerOf(poplar::Graph &graph, const TapSource &source,
                        const poplar::Tensor &execution, unsigned tile);

// From each replica's stream to the queue, which outlives the engine's runs.
// The replicas are those of the slice.
// The engine's threads push; each copies its frame and returns.
void connectStream(poplar::Engine &engine, const TapSource &source,
                   const ReplicaSlice &slice, FrameQueue &queue);

// The stream of a mask, by which an update begins. The control of the first
// instance decides for all, those of the others follow. All outlive the
// engine's runs.
void connectMask(poplar::Engine &engine, const std::string &handle,
                 const TapMask &mask, TapControl &control,
                 Instances &instances);

} // namespace popscope::outfeed
