// Statistics as users read and write them.
#pragma once

#include "codelets/statistic.hpp"

#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

const char *nameOf(Statistic statistic);
std::optional<Statistic> statisticNamed(const std::string &name);
std::vector<std::string> statisticNames();

} // namespace popscope::outfeed
