// Event bytes around values that are already encoded. Byte for byte what
// protobuf would write, several times faster for a scalar.
#pragma once

#include "summary/types.hpp"

#include <cstddef>
#include <string_view>

namespace popscope::summary {

// A value with its tag; `metadata` is empty unless it is to be sent.
struct EncodedValue {
  std::string_view tag;
  std::string_view body;
  std::string_view metadata;
};

// Bytes of one entry of Summary.value, its key and length included.
std::size_t entryBytes(const EncodedValue &value);

// Writes an entry to `to`, which has entryBytes(value) bytes; returns its end.
char *encodeEntry(const EncodedValue &value, char *to);

// Bytes of an event whose field `field` has `contentBytes` bytes of content.
std::size_t eventBytes(Step step, std::size_t contentBytes);

// Writes an event up to where the content of `field` begins; returns that
// place.
char *encodeEventHead(WallTime time, Step step, unsigned field,
                      std::size_t contentBytes, char *to);

} // namespace popscope::summary
