#include "summary/value.hpp"

#include "summary/event_fields.hpp"
#include "summary/proto/event.pb.h"
#include "summary/serialize.hpp"
#include "summary/wire.hpp"

namespace popscope::summary {

bool ValueMetadata::isImplied() const {
  return plugin == kScalarPlugin && displayName.empty() && description.empty();
}

std::string ValueMetadata::serialized() const {
  proto::SummaryMetadata message;
  message.mutable_plugin_data()->set_plugin_name(plugin);
  message.mutable_plugin_data()->set_content(content);
  message.set_display_name(displayName);
  message.set_summary_description(description);
  message.set_data_class(static_cast<proto::DataClass>(dataClass));
  return serialize(message);
}

Value Value::described(std::string displayName, std::string description) && {
  metadata.displayName = std::move(displayName);
  metadata.description = std::move(description);
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
