// half of <poplar/HalfFloat.hpp> against the engine's conversions, which have
// tests of their own.
#include "poplar/values/half.hpp"

#include <poplar/Vertex.hpp>

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace {

std::uint16_t bitsOf(half value) {
  std::uint16_t bits;
  static_assert(sizeof value == sizeof bits, "a half is two bytes");
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

half fromBits(std::uint32_t pattern) {
  const auto bits = std::uint16_t(pattern);
  half value;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

bool isNan(std::uint16_t bits) { return (bits & 0x7fff) > 0x7c00; }

// Equal bits, or both NaN.
testing::AssertionResult same(half actual, std::uint16_t expected) {
  if (bitsOf(actual) == expected || (isNan(bitsOf(actual)) && isNan(expected)))
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << std::hex << bitsOf(actual) << " instead of " << expected;
}

constexpr std::uint32_t kPatterns = 1 << 16;

// Patterns next to every power of two, and a spread of others.
std::vector<half> operands() {
  std::vector<half> values;
  for (std::uint32_t bits = 0; bits < kPatterns; bits += 0x400)
    for (const int step : {-2, -1, 0, 1, 2, 333})
      values.push_back(fromBits(bits + step));
  return values;
}

TEST(HalfArithmetic, EveryHalfIsTheFloatItStandsFor) {
  for (std::uint32_t bits = 0; bits < kPatterns; ++bits) {
    const float expected = ipumodel::halfToFloat(std::uint16_t(bits));
    const float actual = fromBits(bits);
    if (std::isnan(expected))
      ASSERT_TRUE(std::isnan(actual)) << bits;
    else
      ASSERT_EQ(actual, expected) << bits;
    ASSERT_TRUE(same(half(actual), std::uint16_t(bits))) << bits;
  }
}

TEST(HalfArithmetic, FloatsRoundToNearestEven) {
  // Around every half, and half way between it and the next.
  for (std::uint32_t bits = 0; bits < kPatterns; ++bits) {
    const float value = ipumodel::halfToFloat(std::uint16_t(bits));
    const float next = ipumodel::halfToFloat(std::uint16_t(bits + 1));
    const float middle = (value + next) / 2;
    for (const float f :
         {value, std::nextafter(value, 1e9f), std::nextafter(value, -1e9f),
          middle, std::nextafter(middle, 1e9f), std::nextafter(middle, -1e9f)})
      ASSERT_TRUE(same(half(f), ipumodel::floatToHalf(f))) << f;
  }
  // Everywhere, coarsely: each exponent and many mantissas.
  for (std::uint64_t bits = 0; bits < 1ull << 32; bits += 4093) {
    const auto pattern = std::uint32_t(bits);
    float f;
    std::memcpy(&f, &pattern, sizeof f);
    ASSERT_TRUE(same(half(f), ipumodel::floatToHalf(f))) << f;
  }
}

TEST(HalfArithmetic, DoublesRoundOnce) {
  for (std::uint32_t bits = 0; bits + 1 < 0x7c00; ++bits) {
    const double value = ipumodel::halfToFloat(std::uint16_t(bits));
    const double next = ipumodel::halfToFloat(std::uint16_t(bits + 1));
    const double middle = (value + next) / 2;
    // Too close to the middle for a float to tell.
    ASSERT_TRUE(same(half(middle * (1 + 1e-14)), std::uint16_t(bits + 1)));
    ASSERT_TRUE(same(half(middle * (1 - 1e-14)), std::uint16_t(bits)));
    ASSERT_TRUE(
        same(half(-middle * (1 - 1e-14)), std::uint16_t(bits | 0x8000)));
  }
}

TEST(HalfArithmetic, OperationsAreRoundedFloatOperations) {
  const auto values = operands();
  for (const half a : values)
    for (const half b : values) {
      const float x = ipumodel::halfToFloat(bitsOf(a));
      const float y = ipumodel::halfToFloat(bitsOf(b));
      ASSERT_TRUE(same(a + b, ipumodel::floatToHalf(x + y)));
      ASSERT_TRUE(same(a - b, ipumodel::floatToHalf(x - y)));
      ASSERT_TRUE(same(a * b, ipumodel::floatToHalf(x * y)));
      ASSERT_TRUE(same(a / b, ipumodel::floatToHalf(x / y)));
      ASSERT_EQ(a < b, x < y);
      ASSERT_EQ(a == b, x == y);
      ASSERT_EQ(a >= b, x >= y);
    }
}

template <typename Expected, typename T> constexpr bool isA(T) {
  return std::is_same<Expected, T>::value;
}

TEST(HalfArithmetic, ResultTypesAreThoseOfABuiltInType) {
  const half h = 3;
  EXPECT_TRUE(isA<half>(h + h));
  EXPECT_TRUE(isA<half>(-h));
  EXPECT_TRUE(isA<half>(h * 2));
  EXPECT_TRUE(isA<half>(2u - h));
  EXPECT_TRUE(isA<float>(h * 2.0f));
  EXPECT_TRUE(isA<float>(2.0f / h));
  EXPECT_TRUE(isA<double>(h + 2.0));
  EXPECT_EQ(h * 2, 6);
  EXPECT_EQ(1.0f / h, 1.0f / 3);
  EXPECT_TRUE(isA<float>(std::sqrt(h)));
}

TEST(HalfArithmetic, EdgesOfHalvesBehaveAsHalves) {
  const half a = 2, b = 3;
  const float f = 0.1f;
  const unsigned u = 5;
  half sum = 0;
  poplar::Input<half> inA, inB;
  poplar::Input<float> inF;
  poplar::Input<unsigned> inU;
  poplar::InOut<half> out;
  const auto connect = [](void *edge, const void *element) {
    std::memcpy(edge, &element, sizeof element);
  };
  connect(&inA, &a);
  connect(&inB, &b);
  connect(&inF, &f);
  connect(&inU, &u);
  connect(&out, &sum);

  EXPECT_TRUE(isA<half>(inA * inB));
  EXPECT_TRUE(isA<float>(inA * inF));
  EXPECT_TRUE(isA<float>(a * inF));
  EXPECT_TRUE(isA<half>(inU * a));
  EXPECT_TRUE(isA<half>(-inA));
  EXPECT_EQ(inA * inF, 0.2f);
  out += inA * inB;
  out -= inU;
  EXPECT_EQ(sum, 1);
  out = inF;
  EXPECT_EQ(sum, half(0.1f));
  const float asFloat = inB;
  EXPECT_EQ(asFloat, 3.0f);
  const half fromEdge = inF;
  EXPECT_EQ(fromEdge, half(0.1f));
}

TEST(HalfArithmetic, LimitsAndLiteralsNameTheirValues) {
  using Limits = std::numeric_limits<half>;
  EXPECT_EQ(Limits::max(), 65504);
  EXPECT_EQ(Limits::lowest(), -65504);
  EXPECT_EQ(float(Limits::min()), std::ldexp(1.0f, -14));
  EXPECT_EQ(float(Limits::denorm_min()), std::ldexp(1.0f, -24));
  EXPECT_EQ(float(Limits::epsilon()), std::ldexp(1.0f, -10));
  EXPECT_TRUE(std::isinf(Limits::infinity()));
  EXPECT_TRUE(std::isnan(Limits::quiet_NaN()));
  EXPECT_TRUE(isNan(bitsOf(Limits::signaling_NaN())));
  EXPECT_EQ(half(65519), Limits::max());
  EXPECT_EQ(half(65520), Limits::infinity());
  EXPECT_TRUE(isA<half>(1.5_h));
  EXPECT_EQ(1.5_h + 2_h, half(3.5f));
}

TEST(HalfArithmetic, StepsAndCompoundAssignmentRound) {
  half h = 2048; // the spacing is 2 from here on
  EXPECT_EQ(++h, 2048);
  h += 1.5f;
  EXPECT_EQ(h, 2050);
  EXPECT_EQ(h--, 2050);
  EXPECT_EQ(h, 2048); // 2049 is a tie
  h /= 3;
  EXPECT_EQ(h, half(2048.0f / 3));
}

} // namespace
