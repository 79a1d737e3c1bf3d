#include "summary/records/crc32c.hpp"
#include "summary/records/record_format.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace popscope::summary {
namespace {

struct Vector {
  std::string bytes;
  std::uint32_t crc;
  std::uint32_t masked;
};

std::string counting(int from, int to) {
  std::string bytes;
  for (int i = from; i != to; i += from < to ? 1 : -1)
    bytes += static_cast<char>(i);
  return bytes;
}

std::string length64(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes += static_cast<char>(value >> 8 * i & 0xff);
  return bytes;
}

// RFC 3720 B.4, and lengths as record headers hold them.
const std::vector<Vector> &knownAnswers() {
  static const std::vector<Vector> vectors{
      {"", 0x00000000, 0xa282ead8},
      {"a", 0xc1d04330, 0x28e46e78},
      {"123456789", 0xe3069283, 0xc78ab0e5},
      {std::string(32, '\0'), 0x8a9136aa, 0x0fd7fffa},
      {std::string(32, '\xff'), 0x62a8ab43, 0xf909b029},
      {counting(0, 32), 0x46dd794e, 0x951f7892},
      {counting(31, -1), 0x113fdb5c, 0x593b0d57},
      {length64(0), 0x8c28b28a, 0x07980329},
      {length64(1), 0xc514cfad, 0x41de7501},
      {length64(24), 0x4a65bfe4, 0x224b7fa3},
      {length64(255), 0x933d822f, 0xa6e21153},
      {length64(65536), 0x6318d993, 0x55a9b109},
  };
  return vectors;
}

TEST(Crc32c, HasTheValuesOfTheStandard) {
  for (const Vector &vector : knownAnswers()) {
    EXPECT_EQ(crc32c(vector.bytes), vector.crc) << vector.bytes.size();
    EXPECT_EQ(crc32cByTable(vector.bytes), vector.crc) << vector.bytes.size();
  }
}

TEST(Crc32c, MaskIsThatOfEventFilesAndCanBeUndone) {
  for (const Vector &vector : knownAnswers()) {
    const MaskedCrc masked = MaskedCrc::of(vector.bytes);
    EXPECT_EQ(masked.stored(), vector.masked);
    EXPECT_EQ(masked.unmask(), vector.crc);
  }
}

TEST(Crc32c, InstructionAndTableAgreeAtEveryLengthAndAlignment) {
  std::mt19937 random(1);
  std::string bytes(20000, '\0');
  for (char &byte : bytes)
    byte = static_cast<char>(random());
  for (std::size_t length = 0; length < 2500; ++length) {
    const auto part = std::string_view(bytes).substr(length % 9, length);
    ASSERT_EQ(crc32c(part), crc32cByTable(part)) << length;
  }
  for (const std::size_t length : {6143u, 6144u, 6145u, 12288u, 19000u}) {
    const auto part = std::string_view(bytes).substr(3, length);
    ASSERT_EQ(crc32c(part), crc32cByTable(part)) << length;
  }
}

} // namespace
} // namespace popscope::summary
