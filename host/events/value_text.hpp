// Describes values in a few words.
#pragma once

#include "summary/reading/event_view.hpp"

#include <cstdint>
#include <string>

namespace popscope::host::events {

// One line for people: the number, or the kind of the value and its size.
std::string describeValue(const summary::ValueView &value,
                          const std::string &kind);

// "1 value", "2 values"
std::string counted(std::uint64_t count, const std::string &noun);

} // namespace popscope::host::events
