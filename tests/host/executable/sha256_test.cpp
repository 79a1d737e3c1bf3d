#include "host/executable/sha256.hpp"

#include <gtest/gtest.h>
#include <string>

namespace popscope::host {
namespace {

// The examples that NIST publishes with FIPS 180-4.
TEST(Sha256, HasTheValuesOfTheStandard) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb924"
                        "27ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223"
                           "b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039"
            "a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67"
            "f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesOfAnySizeGiveTheHashOfTheWhole) {
  std::string text;
  for (unsigned i = 0; i < 300; ++i)
    text += char(i * 7);
  for (std::size_t length : {55u, 56u, 63u, 64u, 65u, 119u, 120u, 300u})
    for (std::size_t piece : {1u, 7u, 64u, 100u}) {
      Sha256 hash;
      for (std::size_t i = 0; i < length; i += piece)
        hash.add(text.substr(0, length).substr(i, piece));
      EXPECT_EQ(hash.digits(), sha256(text.substr(0, length)))
          << length << " bytes by " << piece;
    }
}

} // namespace
} // namespace popscope::host
