// What a check found, and what is to be done about it.
#pragma once

#include "outfeed/rules/update_schedule.hpp"

#include <cstdint>
#include <string>

namespace popscope::outfeed {

enum class CheckAction {
  mark,   // say so, once
  sample, // look at the tensor at every update for a while
  dump,   // write the whole tensor
  stop    // end the training
};

constexpr CheckAction kCheckActions[] = {CheckAction::mark, CheckAction::sample,
                                         CheckAction::dump, CheckAction::stop};

const char *nameOf(CheckAction action);

// One check and one tensor; there is never a second about them.
struct Finding {
  std::string check;
  std::string tensor; // its tag
  Update first{0};
  Update last{0};            // the last update so far at which it held
  std::uint64_t samples = 0; // at which it held
  double value = 0;          // at the first update
  std::string text;          // likewise, in words
};

// "spike: update 37, conv_0/kernel:0_grad: l2_norm is 31 times ...".
std::string lineOf(const Finding &finding);
std::string toJson(const Finding &finding);

} // namespace popscope::outfeed
