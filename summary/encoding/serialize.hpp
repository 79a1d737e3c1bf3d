// Protobuf messages to bytes, the same bytes every time.
#pragma once

#include <google/protobuf/message_lite.h>
#include <string>

namespace popscope::summary {

// Map entries are put in order of their keys, which protobuf alone does not do.
// Throws std::length_error if the message is too large for protobuf.
std::string serialize(const google::protobuf::MessageLite &message);

} // namespace popscope::summary
