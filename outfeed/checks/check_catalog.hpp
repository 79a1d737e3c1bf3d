// All checks there are.
#pragma once

#include "outfeed/checks/check.hpp"

#include <memory>
#include <string>
#include <vector>

namespace popscope::outfeed {

// In the order in which documentation lists them.
std::vector<std::string> checkNames();

// With its default settings and tensors; null if there is none of this name.
std::unique_ptr<Check> makeCheck(const std::string &name);

} // namespace popscope::outfeed
