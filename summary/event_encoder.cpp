#include "summary/event_encoder.hpp"

#include "summary/event_fields.hpp"
#include "summary/wire.hpp"

namespace popscope::summary {
namespace {

using wire::bytesFieldBytes;

std::size_t valueBytes(const EncodedValue &value) {
  return bytesFieldBytes(value.tag.size()) + value.body.size() +
         (value.metadata.empty() ? 0 : bytesFieldBytes(value.metadata.size()));
}

// Like protobuf, negative numbers become ten bytes and zero is left out.
std::uint64_t stepBits(Step step) {
  return static_cast<std::uint64_t>(step.value());
}

} // namespace

std::size_t entryBytes(const EncodedValue &value) {
  return bytesFieldBytes(valueBytes(value));
}

char *encodeEntry(const EncodedValue &value, char *to) {
  wire::Writer writer(to);
  writer.bytesHeader(fields::kSummaryValue, valueBytes(value));
  writer.bytesField(fields::kValueTag, value.tag);
  writer.raw(value.body);
  if (!value.metadata.empty())
    writer.bytesField(fields::kValueMetadata, value.metadata);
  return writer.at();
}

std::size_t eventBytes(Step step, std::size_t contentBytes) {
  const std::size_t time = 1 + sizeof(double);
  const std::size_t stepField =
      step == Step(0) ? 0 : 1 + wire::varintBytes(stepBits(step));
  return time + stepField + bytesFieldBytes(contentBytes);
}

char *encodeEventHead(WallTime time, Step step, unsigned field,
                      std::size_t contentBytes, char *to) {
  wire::Writer writer(to);
  writer.doubleField(fields::kEventWallTime, time.seconds());
  if (step != Step(0))
    writer.varintField(fields::kEventStep, stepBits(step));
  writer.bytesHeader(field, contentBytes);
  return writer.at();
}

} // namespace popscope::summary
