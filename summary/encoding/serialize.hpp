// Serialises protobuf messages: equal messages give equal bytes.
#pragma once

#include <google/protobuf/message_lite.h>
#include <string>

namespace popscope::summary {

// Sorts map entries by key, which protobuf does not do by default.
// Throws std::length_error if the message is too large for protobuf.
std::string serialize(const google::protobuf::MessageLite &message);

} // namespace popscope::summary
