// Tensors x rules: which taps there are and what they cost.
#pragma once

#include "outfeed/rules/tap_rule.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// Position in the plan; those of alarms begin at kFirstAlarm.
enum class TapId : std::uint32_t {};

struct SampleOrigin {
  unsigned replica = 0;
  unsigned microBatch = 0; // of the update, from 0
};

struct Tap {
  TapId id{};
  TensorTraits tensor;
  // Where its samples come from, if those of an update are kept apart.
  std::optional<SampleOrigin> origin;
  UpdateSchedule schedule;
  std::optional<Condition> condition; // as in TapRule
  std::uint32_t forUpdates = 0;
  Payload payload = Payload::stats;
  std::size_t rule = 0; // which asks for it; not for alarms

  // What it costs each time it is due.
  std::size_t bytes = 0;     // sent to the host
  std::size_t tileBytes = 0; // on the tile that holds most of it
  // Estimated for the busiest worker; never measured on a device.
  std::size_t cycles = 0;

  // Whether every update has a sample of it.
  bool isAlwaysSent() const { return schedule.isAlways() && !condition; }
};

// Of the rows that the payload and the condition need.
StatsTier tierOf(const Tap &tap);

// The tag of the tensor; followed by /replica_R if samples are kept apart, and
// by /micro_batch_M if each micro-batch has one.
std::string tagOf(const Tap &tap);

// Tensors are added while the program is built. One of the same name and moment
// as an earlier one has the same tap.
class TapPlan {
public:
  enum class Alarms { none, everywhere };

  explicit TapPlan(std::vector<TapRule> rules, Alarms alarms = Alarms::none);

  // The tap of the tensor, or null if no rule matches it. The last rule that
  // matches gives the schedule and the payload.
  Tap *add(const TensorTraits &tensor);

  // With alarms everywhere: a tap of the smallest payload for a tensor that was
  // added, due at every update, unless its own tap tells as much. Only the
  // health of a program is read from it.
  Tap *addAlarm(const TensorTraits &tensor, const Tap *own);

  // Whether the tap makes an alarm of its tensor unnecessary.
  static bool tellsHealth(const Tap &tap) {
    return tap.isAlwaysSent() && tap.payload != Payload::full;
  }

  // Whether some rule matches the tensor, which is not added.
  bool wants(const TensorTraits &tensor) const;

  // Throws std::invalid_argument if a rule matched none of the tensors added
  // and may not do so; the message has the nearest names.
  void requireMatches() const;
  // A line for each rule that is due at none of the first `updates` updates.
  std::vector<std::string> neverDue(std::uint32_t updates) const;

  const std::deque<Tap> &taps() const { return taps_; }
  const std::deque<Tap> &alarms() const { return alarms_; }
  const Tap &tap(TapId id) const {
    return isAlarm(id) ? alarms_[std::size_t(id) - kFirstAlarm]
                       : taps_[std::size_t(id)];
  }
  static bool isAlarm(TapId id) { return std::size_t(id) >= kFirstAlarm; }
  // Every tensor that could be tapped, in the order of the program.
  const std::vector<TensorTraits> &tensors() const { return tensors_; }
  bool hasRules() const { return !rules_.empty(); }
  // What messages call a rule.
  std::string titleOf(std::size_t rule) const;

private:
  static constexpr std::size_t kFirstAlarm = std::size_t(1) << 31;

  Tap *find(const TensorTraits &tensor);

  std::vector<TapRule> rules_;
  std::vector<bool> matched_; // per rule
  std::vector<TensorTraits> tensors_;
  const Alarms wantedAlarms_;
  // Callers keep pointers to the elements.
  std::deque<Tap> taps_;
  std::deque<Tap> alarms_;
};

} // namespace popscope::outfeed
