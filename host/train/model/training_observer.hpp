// Whoever looks into the training graph from outside.
#pragma once

#include "graph/taps/tap_point.hpp"
#include "host/counts.hpp"
#include "outfeed/sinks/epoch_table.hpp"

#include <poplar/Engine.hpp>

#include <ostream>
#include <vector>

namespace popscope::host {

// All calls come from the training thread.
class TrainingObserver {
public:
  virtual ~TrainingObserver() = default;

  // Told of the tensors while the graph is built; outlives the engine.
  virtual graph::TapObserver &taps() = 0;
  // Before the first run: the engine's streams of this observer.
  virtual void connect(poplar::Engine &engine) = 0;
  // After each execution.
  virtual void executionEnd(poplar::Engine &engine) { (void)engine; }
  // Likewise: it has taken so long.
  virtual void executionTook(double seconds) { (void)seconds; }
  // After the last run of an epoch; what it prints follows the epoch's own
  // line.
  virtual void epochEnd(Epoch epoch, std::ostream &out) = 0;
  // Whether the training should end after the last execution, and without
  // another checkpoint: its weights are spoilt. Known after executionEnd.
  virtual bool asksToStop() const { return false; }
  // Whether a tensor was not finite; known of all runs so far after epochSoFar.
  virtual bool hasAlarm() const { return false; }
  // Between runs: what there is to print of the epoch so far, for a checkpoint.
  virtual std::vector<outfeed::EpochTable::SavedRow> epochSoFar() = 0;
};

} // namespace popscope::host
