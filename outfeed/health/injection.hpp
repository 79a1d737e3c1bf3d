// Faults to plant, as a user writes them.
#pragma once

#include "graph/taps/fault.hpp"
#include "graph/taps/tap_point.hpp"
#include "outfeed/rules/update_schedule.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace popscope::outfeed {

struct Injection {
  std::string text;   // as it was written
  std::string tensor; // its whole name
  // The moment of the tensor; absent: the first at which it is complete.
  std::optional<graph::TapMoment> moment;
  Update update{0};
  unsigned microBatch = 0;
  graph::Fault fault;
};

// WHAT:TENSOR@update=U[,micro_batch=M][,replica=R][,index=I][,at=MOMENT], as in
//   nan:conv_1_preacts@update=37,index=11
// WHAT is nan, inf, -inf, flip with bit=B, or scale with factor=F. Without an
// index, scale spoils all elements and the others the first. Throws
// std::invalid_argument.
Injection parseInjection(std::string_view text);

} // namespace popscope::outfeed
