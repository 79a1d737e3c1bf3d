// A tap whose tensor was visited, until its records are sent.
#pragma once

#include "graph/taps/device_stats.hpp"
#include "outfeed/tap_plan.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace popscope::outfeed {

struct PendingTap {
  Tap *tap;
  poplar::Tensor lasting; // to be summarised when the unit is flushed
  graph::PartialStats stats;
  poplar::Tensor row = {}; // of the whole tensor, once it is there
  // The row of this one, which comes before in its unit, is its row as well.
  std::optional<std::size_t> sharedWith = std::nullopt;
  bool isSent = false;       // where it was visited
  bool onlyRecorded = false; // never sent
  // At every update, as a row of this tap: the rule's, if there is one.
  const Tap *recordedAs = nullptr;

  StatsTier tier() const;
  // What is recorded is there at every update, and under nobody's control.
  UpdateSchedule schedule() const;
  bool isMasked() const { return tap->masked && !recordedAs; }

  // Adds the vertices that summarise the tensor, and their cost to the tap's.
  void addStats(poplar::Graph &graph, const poplar::Tensor &tensor,
                poplar::ComputeSet &computeSet);
};

// Bytes of one record of the tap.
std::size_t sentBytes(const Tap &tap);

// In groups whose records leave the device at the same updates, unless the host
// turns one of them on or off. Each keeps the order of `taps`, and so do the
// first of each.
std::vector<std::vector<PendingTap *>>
groupsOfAlike(std::vector<PendingTap> &taps);

// Merges the parts of those that have no row yet into one on `tile`.
void addRows(poplar::Graph &graph, const std::vector<PendingTap *> &group,
             unsigned tile, poplar::program::Sequence &prog);

} // namespace popscope::outfeed
