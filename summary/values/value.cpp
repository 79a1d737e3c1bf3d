#include "summary/values/value.hpp"

#include "summary/encoding/event_fields.hpp"
#include "summary/encoding/serialize.hpp"
#include "summary/encoding/utf8.hpp"
#include "summary/encoding/wire.hpp"
#include "summary/proto/event.pb.h"

#include <utility>

namespace popscope::summary {
namespace {

// A point of a curve as a tensor of rank zero, the form of TensorFlow 2.
std::string scalarTensor(float scalar) {
  proto::Summary::Value message;
  auto *tensor = message.mutable_tensor();
  tensor->set_dtype(proto::DT_FLOAT);
  tensor->mutable_tensor_shape();
  tensor->add_float_val(scalar);
  return serialize(message);
}

} // namespace

bool ValueMetadata::isImplied() const {
  return plugin == kScalarPlugin && displayName.empty() && description.empty();
}

std::string ValueMetadata::serialized() const {
  proto::SummaryMetadata message;
  message.mutable_plugin_data()->set_plugin_name(toUtf8(plugin));
  message.mutable_plugin_data()->set_content(content);
  message.set_display_name(toUtf8(displayName));
  message.set_summary_description(toUtf8(description));
  message.set_data_class(static_cast<proto::DataClass>(dataClass));
  return serialize(message);
}

Value Value::described(std::string displayName, std::string description) && {
  metadata.displayName = std::move(displayName);
  metadata.description = std::move(description);
  // TensorBoard's fast loader ignores the metadata of plain floats.
  wire::Reader field(body);
  if (field.next() &&
      field.key() == wire::key(fields::kValueSimple, wire::Type::fixed32))
    body = scalarTensor(field.asFloat());
  return std::move(*this);
}

// The form with a plain float rather than a tensor: it is the smallest, both
// of TensorBoard's loaders show it, and every record says by itself what it is.
Value toValue(float scalar) {
  char body[1 + sizeof scalar];
  wire::Writer(body).floatField(fields::kValueSimple, scalar);
  return {{std::string(kScalarPlugin), {}, {}, {}}, {body, sizeof body}};
}

} // namespace popscope::summary
