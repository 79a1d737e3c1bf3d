// A tensor and its taps, of which one at most is due at an update.
#pragma once

#include "outfeed/tap_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace popscope::outfeed {

struct WatchedTensor {
  std::vector<const Tap *> taps;
  std::vector<Condition> conditions; // of each, with its limits as they are
  std::size_t chosen = 0;
  bool isOn = false;
  UpdateSchedule schedule;               // while it is on
  std::optional<UpdateSchedule> thinned; // in its place
  bool isAsRuled = true;                 // no request has turned it on or off
  std::optional<std::size_t> once; // the tap that is due at the next update
  std::uint64_t sent = 0;          // updates

  const TensorTraits &tensor() const { return taps.front()->tensor; }
  // The tap that has it, rather without a condition.
  std::optional<std::size_t> withPayload(Payload payload) const;
  std::size_t largest() const; // likewise
  // The tap whose condition differs from this one by its limits at most.
  std::optional<std::size_t> withCondition(const Condition &condition) const;
  std::optional<std::size_t> dueAt(Update update) const;
  std::optional<std::size_t> dueIn(const std::vector<bool> &rules) const;
  void takeRequest();
};

} // namespace popscope::outfeed
