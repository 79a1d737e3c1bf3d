// Describes values in a few words.
#pragma once

#include "summary/reading/event_view.hpp"

#include <string>

namespace popscope::host::events {

// One line for people: the number, or the kind of the value and its size.
std::string describeValue(const summary::ValueView &value,
                          const std::string &kind);

} // namespace popscope::host::events
