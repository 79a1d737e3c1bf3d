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
  // Which asks for it; of an alarm that is not always sent, the rule whose tap
  // it gives way to. Taps of one rule leave the device together.
  std::size_t rule = 0;
  // The host decides at each update whether it is due.
  bool masked = false;
  // The alarm of the same tensor, which is not sent when this tap is due.
  std::optional<TapId> replaces;
  // Their records are merged on the device: together they send one.
  unsigned mergedReplicas = 1;

  // What it costs each time it is due.
  std::size_t bytes = 0;     // of a record or of the elements, to the host
  std::size_t tileBytes = 0; // on the tile that holds most of it
  // Estimated for the busiest worker; never measured on a device.
  std::size_t cycles = 0;

  // Whether every update has a sample of it.
  bool isAlwaysSent() const {
    return schedule.isAlways() && !condition && !masked;
  }
  bool isMerged() const { return mergedReplicas > 1; }
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
  // Whether the taps of rules are turned on and off while the program runs.
  enum class Control { fixed, live };

  // Statistics without a condition are merged over `mergedReplicas` on the
  // device, unless counts of so many elements would not fit in a row. Alarms
  // are not, since they say which replica is to blame, nor are hashes and
  // sketches, which tell replicas apart.
  explicit TapPlan(std::vector<TapRule> rules, Alarms alarms = Alarms::none,
                   Control control = Control::fixed,
                   unsigned mergedReplicas = 1);

  // The tap of the tensor, or null if no rule matches it. The last rule that
  // matches and may be due gives the schedule and the payload.
  Tap *add(const TensorTraits &tensor);

  // With live control, of a tensor that was added: a tap for each payload that
  // only rules with the schedule `never` ask for. They are off at first.
  std::vector<Tap *> addStandbys(const TensorTraits &tensor);

  // With alarms everywhere: a tap of the smallest payload for a tensor that was
  // added, due at every update, unless its own tap tells as much. Only the
  // health of a program is read from it. With live control it is due whenever
  // no other tap of the tensor tells as much.
  Tap *addAlarm(const TensorTraits &tensor, const Tap *own);

  // Whether the tap makes an alarm of its tensor unnecessary.
  static bool tellsHealth(const Tap &tap) {
    return tap.isAlwaysSent() && tap.payload != Payload::full &&
           !tap.isMerged();
  }

  // All taps of the tensor, and its alarm.
  std::vector<const Tap *> tapsOf(const std::string &name,
                                  graph::TapMoment moment) const;

  // Whether some rule matches the tensor, which is not added.
  bool wants(const TensorTraits &tensor) const;
  // Likewise of the update of a weight, by its name: it is the tensor of a
  // gradient that was added.
  bool wantsUpdate(const std::string &name) const;

  // Throws std::invalid_argument if a rule matched none of the tensors added
  // and may not do so; the message has the nearest names.
  void requireMatches() const;
  // A line for each rule that is due at none of the first `updates` updates and
  // cannot be turned on.
  std::vector<std::string> neverDue(std::uint32_t updates) const;

  const std::deque<Tap> &taps() const { return taps_; }
  const std::deque<Tap> &alarms() const { return alarms_; }
  const Tap &tap(TapId id) const {
    return isAlarm(id) ? alarms_[placeOf(id)] : taps_[placeOf(id)];
  }
  static bool isAlarm(TapId id) { return std::size_t(id) >= kFirstAlarm; }
  // In taps or, of an alarm, in alarms.
  static std::size_t placeOf(TapId id) {
    return std::size_t(id) - (isAlarm(id) ? kFirstAlarm : 0);
  }
  // Every tensor that could be tapped, in the order of the program.
  const std::vector<TensorTraits> &tensors() const { return tensors_; }
  bool hasRules() const { return !rules_.empty(); }
  const std::vector<TapRule> &rules() const { return rules_; }
  // What messages call a rule.
  std::string titleOf(std::size_t rule) const;
  bool isLive() const { return control_ == Control::live; }

private:
  static constexpr std::size_t kFirstAlarm = std::size_t(1) << 31;

  std::vector<Tap *> ownTapsOf(const TensorTraits &tensor);
  Tap &newTap(const TensorTraits &tensor, const TapRule &rule);

  std::vector<TapRule> rules_;
  std::vector<bool> matched_; // per rule
  std::vector<TensorTraits> tensors_;
  const Alarms wantedAlarms_;
  const Control control_;
  const unsigned mergedReplicas_;
  // Callers keep pointers to the elements.
  std::deque<Tap> taps_;
  std::deque<Tap> alarms_;
};

} // namespace popscope::outfeed
