// Requests and replies as they cross a socket: one line of JSON each.
#pragma once

#include "outfeed/control/control_request.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace popscope::outfeed {

// Of a line, with its end.
constexpr std::size_t kMostRequestBytes = std::size_t(1) << 16;
constexpr std::size_t kMostReplyBytes = std::size_t(1) << 24;

std::string toJson(const ControlRequest &request);
std::string toJson(const ControlReply &reply);

// These throw std::invalid_argument if the text is anything but a message of
// this version.
ControlRequest parseControlRequest(std::string_view text);
ControlReply parseControlReply(std::string_view text);

} // namespace popscope::outfeed
