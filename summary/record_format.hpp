// The frame around each record of an event file (TFRecord), shared by writer
// and reader:
//
//   u64 length | u32 masked CRC of those 8 bytes | payload | u32 masked CRC
//
// All integers are little-endian.
#pragma once

#include "summary/crc32c.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace popscope::summary {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kCrcBytes = 4;
constexpr std::size_t kHeaderBytes = kLengthBytes + kCrcBytes;
constexpr std::size_t kFooterBytes = kCrcBytes;
constexpr std::size_t kFrameBytes = kHeaderBytes + kFooterBytes;

// Protobuf parses no message of 2 GiB or more, so no event can be longer.
constexpr std::uint64_t kMaxPayloadBytes = (std::uint64_t(1) << 31) - 1;

template <class Unsigned> void storeLittleEndian(char *to, Unsigned value) {
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    to[i] = static_cast<char>(value >> 8 * i & 0xff);
}

template <class Unsigned> Unsigned loadLittleEndian(const char *from) {
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    value |= Unsigned(static_cast<unsigned char>(from[i])) << 8 * i;
  return value;
}

inline void storeHeader(char *to, std::uint64_t payloadBytes) {
  storeLittleEndian(to, payloadBytes);
  storeLittleEndian(to + kLengthBytes,
                    MaskedCrc::of({to, kLengthBytes}).stored());
}

inline void storeFooter(char *to, std::string_view payload) {
  storeLittleEndian(to, MaskedCrc::of(payload).stored());
}

} // namespace popscope::summary
