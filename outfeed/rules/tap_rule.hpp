// Which tensors, when, and what of them.
#pragma once

#include "codelets/stats_row.hpp"
#include "outfeed/rules/condition.hpp"
#include "outfeed/rules/tensor_filter.hpp"
#include "outfeed/rules/update_schedule.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace popscope::outfeed {

enum class Payload { alarm, stats, shape, identity, full };

const char *nameOf(Payload payload);
// Throws RuleError.
Payload parsePayload(std::string_view text);
// Not for `full`, which has no row.
StatsTier tierOf(Payload payload);

// A rule that matches no tensor is a mistake, unless its author expects that.
enum class Unmatched { isRefused, isAccepted };

struct TapRule {
  TensorFilter filter;
  UpdateSchedule schedule;
  // At the updates of the schedule, only what the condition holds for is sent,
  // and what follows up to so many updates later; 0: not what follows.
  std::optional<Condition> condition = std::nullopt;
  std::uint32_t forUpdates = 0;
  Payload payload = Payload::stats;
  std::string title; // what messages call it; "rule N", from 1, if empty
  Unmatched unmatched = Unmatched::isRefused;
};

// FILTER [@ SCHEDULE] [when CONDITION] [-> PAYLOAD [for UPDATES]], as in
//   kind:gradient & !name~bias @ every 10 -> shape
//   conv_*_acts when abs_max>1e4 -> full for 3
// Throws RuleError.
TapRule parseTapRule(std::string_view text);

} // namespace popscope::outfeed
