#include <popfloat/experimental/CastToHalf.hpp>

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using popfloat::experimental::halfToSingle;
using popfloat::experimental::singleToHalf;

// Bits of IEEE 754's binary16.
TEST(CastToHalf, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(singleToHalf(1.0f), 0x3c00);
  EXPECT_EQ(singleToHalf(-0.0f), 0x8000);
  EXPECT_EQ(singleToHalf(1 + 0x1p-11f), 0x3c00);
  EXPECT_EQ(singleToHalf(1 + 0x1.8p-10f), 0x3c02);
  EXPECT_EQ(singleToHalf(-65504.0f), 0xfbff);
  EXPECT_EQ(singleToHalf(0x1p-24f), 0x0001);
  EXPECT_EQ(singleToHalf(0x1p-25f), 0x0000);
}

TEST(CastToHalf, OverflowIsInfiniteOrTheLargest) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(singleToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(singleToHalf(65520.0f, true), 0x7bff);
  EXPECT_EQ(singleToHalf(-1e9f, true), 0xfbff);
  EXPECT_EQ(singleToHalf(infinity, true), 0x7c00);
}

TEST(CastToHalf, EveryHalfComesBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float value = halfToSingle(static_cast<std::uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_GT(bits & 0x7fff, 0x7c00u);
    else
      EXPECT_EQ(singleToHalf(value), bits);
  }
  EXPECT_EQ(halfToSingle(0x3555), 0x1.554p-2f);
}
