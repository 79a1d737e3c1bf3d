// Writes events around values that are already encoded, byte for byte as
// protobuf would. For a scalar this is several times faster, because everything
// is inline and nothing is allocated.
#pragma once

#include "summary/encoding/event_fields.hpp"
#include "summary/encoding/wire.hpp"
#include "summary/types.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace popscope::summary {

// A value with its tag. Empty `metadata` are left out.
struct EncodedValue {
  std::string_view tag;
  std::string_view body;
  std::string_view metadata;

  // Bytes of the Summary.Value message.
  std::size_t messageBytes() const {
    return wire::bytesFieldBytes(tag.size()) + body.size() +
           (metadata.empty() ? 0 : wire::bytesFieldBytes(metadata.size()));
  }
};

// Bytes of one entry of Summary.value, its key and length included.
inline std::size_t entryBytes(const EncodedValue &value) {
  return wire::bytesFieldBytes(value.messageBytes());
}

// Writes an entry to `to`, which has entryBytes(value) bytes; returns its end.
inline char *encodeEntry(const EncodedValue &value, char *to) {
  wire::Writer writer(to);
  writer.bytesHeader(fields::kSummaryValue, value.messageBytes());
  writer.bytesField(fields::kValueTag, value.tag);
  writer.raw(value.body);
  if (!value.metadata.empty())
    writer.bytesField(fields::kValueMetadata, value.metadata);
  return writer.at();
}

// Bytes of an event with one field of `contentBytes` bytes besides time and
// step. As in protobuf, a step of zero takes no bytes and a negative one ten.
inline std::size_t eventBytes(Step step, std::size_t contentBytes) {
  const auto bits = static_cast<std::uint64_t>(step.value());
  return 1 + sizeof(double) + (bits == 0 ? 0 : 1 + wire::varintBytes(bits)) +
         wire::bytesFieldBytes(contentBytes);
}

// Writes an event up to the content of `field`; returns where that begins.
inline char *encodeEventHead(WallTime time, Step step, unsigned field,
                             std::size_t contentBytes, char *to) {
  wire::Writer writer(to);
  writer.doubleField(fields::kEventWallTime, time.seconds());
  if (step != Step(0))
    writer.varintField(fields::kEventStep,
                       static_cast<std::uint64_t>(step.value()));
  writer.bytesHeader(field, contentBytes);
  return writer.at();
}

} // namespace popscope::summary
