#include "poplar/values/half.hpp"

#include <poplar/IeeeHalf.hpp>
#include <poplar/Target.hpp>

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using poplar::IeeeHalf;

namespace {

constexpr unsigned kPatterns = 1u << 16;
constexpr unsigned kInfinity = 0x7c00;

bool isNan(unsigned bits) { return (bits & 0x7fff) > kInfinity; }

// The value of a pattern as the standard defines it, without bit tricks.
double meaning(unsigned bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int mantissa = bits & 0x3ff;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 31)
    return sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

std::uint16_t toHalf(float value) { return IeeeHalf(value).bits(); }

float next(float value, float towards) {
  return std::nextafter(value, towards);
}

TEST(Half, EveryPatternHasTheValueOfTheStandard) {
  for (unsigned bits = 0; bits < kPatterns; ++bits) {
    const float value = IeeeHalf::fromBits(std::uint16_t(bits));
    if (isNan(bits)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    } else {
      EXPECT_EQ(double(value), meaning(bits)) << bits;
      EXPECT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    }
  }
}

TEST(Half, EveryPatternSurvivesTheWayThroughFloat) {
  for (unsigned bits = 0; bits < kPatterns; ++bits) {
    const unsigned quiet = isNan(bits) ? bits | 0x0200 : bits;
    EXPECT_EQ(toHalf(IeeeHalf::fromBits(std::uint16_t(bits))), quiet) << bits;
  }
}

TEST(Half, BetweenNeighboursRoundsToTheNearerAndTiesToEven) {
  for (unsigned low = 0; low + 1 < kInfinity; ++low) {
    const unsigned high = low + 1;
    const float middle = float((meaning(low) + meaning(high)) / 2);
    const unsigned even = low % 2 == 0 ? low : high;
    ASSERT_EQ(toHalf(middle), even) << low;
    ASSERT_EQ(toHalf(next(middle, 0)), low) << low;
    ASSERT_EQ(toHalf(next(middle, 1e9f)), high) << low;
    ASSERT_EQ(toHalf(-middle), even | 0x8000) << low;
    ASSERT_EQ(toHalf(next(-middle, 0)), low | 0x8000) << low;
    ASSERT_EQ(toHalf(next(-middle, -1e9f)), high | 0x8000) << low;
  }
}

TEST(Half, OverflowsHalfwayAboveTheLargestValue) {
  EXPECT_EQ(toHalf(next(65520, 0)), 0x7bff);
  EXPECT_EQ(toHalf(65520), kInfinity);
  EXPECT_EQ(toHalf(-std::numeric_limits<float>::max()), 0xfc00);
}

TEST(Half, VanishesAtHalfTheSmallestValue) {
  EXPECT_EQ(toHalf(0x1p-25f), 0x0000);
  EXPECT_EQ(toHalf(next(0x1p-25f, 1)), 0x0001);
  EXPECT_EQ(toHalf(-std::numeric_limits<float>::denorm_min()), 0x8000);
}

TEST(Half, DoublesAreRoundedOnce) {
  // As a float this would be a tie and be rounded down to the even 1.
  const double justAboveTie = 1 + 0x1p-11 + 0x1p-40;
  std::uint16_t half;
  poplar::copyDoubleToDeviceHalf(poplar::Target(), &justAboveTie, &half, 1);
  EXPECT_EQ(half, 0x3c01);
  const double justBelowTie = 1 + 0x3p-11 - 0x1p-40;
  poplar::copyDoubleToDeviceHalf(poplar::Target(), &justBelowTie, &half, 1);
  EXPECT_EQ(half, 0x3c01);
}

TEST(Half, DoublesOutsideTheRangeOfFloatAreInfiniteOrZero) {
  EXPECT_EQ(ipumodel::doubleToHalf(1e300), kInfinity);
  EXPECT_EQ(ipumodel::doubleToHalf(-1e300), 0xfc00);
  EXPECT_EQ(ipumodel::doubleToHalf(1e-300), 0x0000);
  EXPECT_EQ(ipumodel::doubleToHalf(-1e-300), 0x8000);
  EXPECT_TRUE(isNan(ipumodel::doubleToHalf(std::nan(""))));
}

// Arrays use different code than single values, and their ends use yet another.
TEST(Half, ArraysOfAnyLengthConvertLikeSingleValues) {
  std::vector<std::uint16_t> halves(kPatterns + 3);
  for (std::size_t i = 0; i < halves.size(); ++i)
    halves[i] = std::uint16_t(i);
  std::vector<float> floats(halves.size());
  poplar::copyDeviceHalfToFloat(poplar::Target(), halves.data(), floats.data(),
                                halves.size());
  std::vector<std::uint16_t> back(halves.size());
  poplar::copyFloatToDeviceHalf(poplar::Target(), floats.data(), back.data(),
                                floats.size());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const float single = ipumodel::halfToFloat(halves[i]);
    ASSERT_EQ(std::memcmp(&floats[i], &single, sizeof single), 0) << i;
    ASSERT_EQ(back[i], ipumodel::floatToHalf(floats[i])) << i;
  }
}

TEST(Half, ArraysOfFloatsRoundLikeSingleValues) {
  std::vector<float> floats;
  for (std::uint32_t bits = 0; bits < 0xffff0000u; bits += 40503) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    floats.push_back(value);
  }
  std::vector<std::uint16_t> halves(floats.size());
  ipumodel::floatsToHalves(floats.data(), halves.data(), floats.size());
  for (std::size_t i = 0; i < floats.size(); ++i)
    ASSERT_EQ(halves[i], ipumodel::floatToHalf(floats[i])) << floats[i];
}

} // namespace
