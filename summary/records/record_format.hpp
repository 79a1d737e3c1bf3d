// The frame around each record of an event file (TFRecord), shared by writer
// and reader:
//
//   u64 length | u32 masked CRC of those 8 bytes | payload | u32 masked CRC
//
// All integers are little-endian.
#pragma once

#include "summary/records/crc32c.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace popscope::summary {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kCrcBytes = 4;
constexpr std::size_t kHeaderBytes = kLengthBytes + kCrcBytes;
constexpr std::size_t kFooterBytes = kCrcBytes;
constexpr std::size_t kFrameBytes = kHeaderBytes + kFooterBytes;

// No page of TensorBoard shows an event that is nearly as long, and a file that
// claims one, with holes in the place of bytes, must not cost much memory.
constexpr std::uint64_t kMaxPayloadBytes = std::uint64_t(1) << 28;

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "tensors and records are copied as they lie in memory: little-endian"
#endif

template <class Unsigned> void storeLittleEndian(char *to, Unsigned value) {
  std::memcpy(to, &value, sizeof value);
}

template <class Unsigned> Unsigned loadLittleEndian(const char *from) {
  Unsigned value;
  std::memcpy(&value, from, sizeof value);
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
