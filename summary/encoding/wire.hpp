// Protobuf's wire format, for the few fields that are read or written millions
// of times per second; everything else uses generated code.
#pragma once

#include "summary/records/record_format.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace popscope::summary::wire {

enum class Type : std::uint8_t {
  varint = 0,
  fixed64 = 1,
  bytes = 2,
  fixed32 = 5
};

// The key before a field: its number and its wire type.
constexpr std::uint32_t key(std::uint32_t field, Type type) {
  return field << 3 | static_cast<std::uint32_t>(type);
}

constexpr std::size_t varintBytes(std::uint64_t value) {
  std::size_t bytes = 1;
  for (; value >= 0x80; value >>= 7)
    ++bytes;
  return bytes;
}

// Bytes of key, length and content of a length-delimited field with a number
// below 16.
constexpr std::size_t bytesFieldBytes(std::size_t size) {
  return 1 + varintBytes(size) + size;
}

// Writes fields with numbers below 16 to memory that the caller provides.
class Writer {
public:
  explicit Writer(char *to) : at_(to) {}

  void raw(std::string_view bytes) {
    std::memcpy(at_, bytes.data(), bytes.size());
    at_ += bytes.size();
  }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      *at_++ = static_cast<char>(value | 0x80);
    *at_++ = static_cast<char>(value);
  }
  void varintField(unsigned field, std::uint64_t value) {
    put(key(field, Type::varint));
    varint(value);
  }
  void doubleField(unsigned field, double value) {
    put(key(field, Type::fixed64));
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    storeLittleEndian(at_, bits);
    at_ += sizeof bits;
  }
  void floatField(unsigned field, float value) {
    put(key(field, Type::fixed32));
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    storeLittleEndian(at_, bits);
    at_ += sizeof bits;
  }
  // The content follows as the next `size` bytes written.
  void bytesHeader(unsigned field, std::size_t size) {
    put(key(field, Type::bytes));
    varint(size);
  }
  void bytesField(unsigned field, std::string_view bytes) {
    bytesHeader(field, bytes.size());
    raw(bytes);
  }

  char *at() const { return at_; }

private:
  void put(std::uint32_t key) { *at_++ = static_cast<char>(key); }

  char *at_;
};

// Visits the fields of a message. Accepts any bytes: if they are not a message,
// the visit ends early and failed() is true.
class Reader {
public:
  explicit Reader(std::string_view message)
      : at_(message.data()), end_(message.data() + message.size()) {}

  // Moves to the next field; false at the end or at the first malformed field.
  bool next();
  bool failed() const { return failed_; }

  std::uint32_t key() const { return key_; }
  // The value of a varint, fixed32 or fixed64 field, as raw bits.
  std::uint64_t bits() const { return bits_; }
  double asDouble() const;
  float asFloat() const;
  // The content of a length-delimited field.
  std::string_view bytes() const { return bytes_; }
  // The bytes after the field.
  std::string_view rest() const { return {at_, left()}; }

private:
  bool varint(std::uint64_t &value);
  bool longVarint(std::uint64_t &value);
  bool fail() {
    failed_ = true;
    at_ = end_;
    return false;
  }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  const char *at_;
  const char *end_;
  std::uint32_t key_ = 0;
  bool failed_ = false;
  std::uint64_t bits_ = 0;
  std::string_view bytes_;
};

inline bool Reader::varint(std::uint64_t &value) {
  if (at_ == end_)
    return fail();
  const auto byte = static_cast<unsigned char>(*at_);
  if (byte >= 0x80)
    return longVarint(value);
  ++at_;
  value = byte;
  return true;
}

inline bool Reader::longVarint(std::uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && at_ != end_; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at_++);
    value |= std::uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return true;
  }
  return fail();
}

inline bool Reader::next() {
  if (at_ == end_)
    return false;
  std::uint64_t found;
  if (!varint(found))
    return false;
  if (found >> 3 == 0 || found >> 32 != 0)
    return fail();
  key_ = static_cast<std::uint32_t>(found);
  switch (static_cast<Type>(key_ & 7)) {
  case Type::varint:
    return varint(bits_);
  case Type::fixed64:
    if (left() < 8)
      return fail();
    bits_ = loadLittleEndian<std::uint64_t>(at_);
    at_ += 8;
    return true;
  case Type::fixed32:
    if (left() < 4)
      return fail();
    bits_ = loadLittleEndian<std::uint32_t>(at_);
    at_ += 4;
    return true;
  case Type::bytes: {
    std::uint64_t size;
    if (!varint(size))
      return false;
    if (size > left())
      return fail();
    bytes_ = {at_, static_cast<std::size_t>(size)};
    at_ += size;
    return true;
  }
  }
  return fail(); // groups and reserved wire types; proto3 has neither
}

inline double Reader::asDouble() const {
  double value;
  std::memcpy(&value, &bits_, sizeof value);
  return value;
}

inline float Reader::asFloat() const {
  const auto bits = static_cast<std::uint32_t>(bits_);
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

} // namespace popscope::summary::wire
