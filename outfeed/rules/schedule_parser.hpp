// The schedule of a rule, as it is written.
#pragma once

#include "outfeed/rules/update_schedule.hpp"

#include <string_view>

namespace popscope::outfeed {

// Words such as `every 10 from 100 until 500` or `updates 1,5,20`, in any
// order; `steps` is another word for `updates`. Throws RuleError.
UpdateSchedule parseSchedule(std::string_view text);

} // namespace popscope::outfeed
