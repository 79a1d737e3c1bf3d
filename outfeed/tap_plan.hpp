// Tensors x rules: which taps there are and what they cost.
#pragma once

#include "outfeed/tap_rule.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// Position in the plan.
enum class TapId : std::uint32_t {};

struct SampleOrigin {
  unsigned replica = 0;
  unsigned microBatch = 0; // of the step
};

struct Tap {
  TapId id{};
  TensorTraits tensor;
  // Where its samples come from, if those of a step are kept apart.
  std::optional<SampleOrigin> origin;
  UpdateSchedule schedule;
  Payload payload = Payload::stats;

  // Per execution at which it is due. Cycles are estimated, of the worker that
  // has most to do; never measured on a device.
  std::size_t bytes = 0;
  std::size_t tileBytes = 0; // on the tile that holds most
  std::size_t cycles = 0;
};

// The tag of the tensor, with /replica_R behind it if samples are kept apart
// and /micro_batch_M if each micro-batch has one.
std::string tagOf(const Tap &tap);

// Tensors are added as the program is built; a tensor that was added before,
// by name and moment, keeps its tap.
class TapPlan {
public:
  explicit TapPlan(std::vector<TapRule> rules);

  // The tap of the tensor, or null if no rule wants it. The last rule that
  // matches decides on schedule and payload.
  Tap *add(const TensorTraits &tensor);

  // Whether some rule would want it; the tensor is not added.
  bool wants(const TensorTraits &tensor) const;

  // Throws std::invalid_argument if a rule matched none of the tensors added,
  // naming the nearest.
  void requireMatches() const;
  // A line for each rule that is due at none of so many steps.
  std::vector<std::string> neverDue(std::uint32_t steps) const;

  const std::deque<Tap> &taps() const { return taps_; }
  const Tap &tap(TapId id) const { return taps_[std::size_t(id)]; }
  // Every tensor that could be tapped, in the order of the program.
  const std::vector<TensorTraits> &tensors() const { return tensors_; }
  bool hasRules() const { return !rules_.empty(); }

private:
  Tap *find(const TensorTraits &tensor);
  std::string titleOf(std::size_t rule) const;

  std::vector<TapRule> rules_;
  std::vector<bool> matched_; // per rule
  std::vector<TensorTraits> tensors_;
  std::deque<Tap> taps_; // addresses stay
};

} // namespace popscope::outfeed
