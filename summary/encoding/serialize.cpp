#include "summary/encoding/serialize.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <stdexcept>

namespace popscope::summary {

std::string serialize(const google::protobuf::MessageLite &message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  if (!message.SerializeToCodedStream(&coded))
    throw std::length_error("[summary] " + message.GetTypeName() +
                            " is too large to be an event");
  coded.Trim();
  return bytes;
}

} // namespace popscope::summary
