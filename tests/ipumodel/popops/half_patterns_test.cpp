// All halves, 65,536 bit patterns, through the operators that must be exact or
// correctly rounded.
#include "operators.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

using namespace poplar;
using operators::Bench;
using operators::halfToFloat;

namespace {

constexpr std::size_t kPatterns = 65536;

Tensor allHalves(Bench &b) {
  std::vector<std::uint16_t> bits(kPatterns);
  std::iota(bits.begin(), bits.end(), std::uint16_t(0));
  return b.tensor(UNSIGNED_SHORT, {kPatterns}, bits).reinterpret(HALF);
}

// The nearest half, from the definition: the closest candidate, and of two the
// one whose last bit is 0.
std::uint16_t nearestHalf(double value) {
  if (std::isnan(value))
    return 0x7e00;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520)
    return sign | 0x7c00;
  std::uint16_t low = 0, high = 0x7bff; // the largest half not above it
  while (low < high) {
    const auto middle = std::uint16_t((low + high + 1) / 2);
    if (halfToFloat(middle) <= magnitude)
      low = middle;
    else
      high = std::uint16_t(middle - 1);
  }
  const double below = magnitude - halfToFloat(low);
  const double above =
      low == 0x7bff ? 65536 - magnitude : halfToFloat(low + 1) - magnitude;
  const bool up = above < below || (above == below && (low & 1));
  return sign | std::uint16_t(low + up);
}

bool isNaN(std::uint16_t half) { return (half & 0x7fff) > 0x7c00; }

// Runs `add` on all halves and expects the nearest halves to f.
void expectRounded(const std::function<Tensor(Bench &, const Tensor &)> &add,
                   const std::function<double(double)> &f) {
  Bench b;
  const Tensor x = allHalves(b);
  const Tensor y = add(b, x);
  ASSERT_EQ(y.elementType(), HALF);
  const std::vector<std::uint16_t> result = b.result<std::uint16_t>(y);
  for (std::size_t i = 0; i < kPatterns; ++i) {
    const std::uint16_t expected =
        nearestHalf(f(halfToFloat(std::uint16_t(i))));
    ASSERT_EQ(isNaN(result[i]), isNaN(expected)) << std::hex << i;
    if (!isNaN(expected)) {
      ASSERT_EQ(result[i], expected) << std::hex << i;
    }
  }
}

} // namespace

TEST(AllHalves, CastToFloatAndBackAreThemselves) {
  Bench b;
  const Tensor x = allHalves(b);
  const Tensor wide = popops::cast(b.graph, x, FLOAT, b.prog);
  const Tensor back = popops::cast(b.graph, wide, HALF, b.prog);
  const std::string first = b.watch(wide), second = b.watch(back);
  b.run();
  const auto floats = b.read<float>(first, kPatterns);
  const auto halves = b.read<std::uint16_t>(second, kPatterns);
  for (std::size_t i = 0; i < kPatterns; ++i) {
    if (isNaN(std::uint16_t(i))) {
      EXPECT_TRUE(std::isnan(floats[i]) && isNaN(halves[i])) << std::hex << i;
      continue;
    }
    const int exponent = int(i >> 10 & 31), mantissa = int(i & 1023);
    const double magnitude = exponent == 31 ? INFINITY
                             : exponent == 0
                                 ? std::ldexp(mantissa, -24)
                                 : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(floats[i], i & 0x8000 ? -magnitude : magnitude) << std::hex << i;
    ASSERT_EQ(halves[i], i);
  }
}

TEST(AllHalves, CastToIntegersCutsThem) {
  Bench b;
  const Tensor y = popops::cast(b.graph, allHalves(b), INT, b.prog);
  const std::vector<int> result = b.result<int>(y);
  for (std::size_t i = 0; i < kPatterns; ++i) {
    const float value = halfToFloat(std::uint16_t(i));
    if (std::isfinite(value)) {
      ASSERT_EQ(result[i], static_cast<int>(value)) << std::hex << i;
    }
  }
}

TEST(AllHalves, CompareWithAConstantAsFloatsDo) {
  using Compare = std::function<Tensor(Bench &, const Tensor &)>;
  using Expect = std::function<bool(float)>;
  const float c = 0.5f;
  const std::vector<std::pair<Compare, Expect>> comparisons = {
      {[&](Bench &b, const Tensor &x) {
         return popops::lt(b.graph, x, c, b.prog);
       },
       [&](float x) { return x < c; }},
      {[&](Bench &b, const Tensor &x) {
         return popops::lteq(b.graph, x, c, b.prog);
       },
       [&](float x) { return x <= c; }},
      {[&](Bench &b, const Tensor &x) {
         return popops::gt(b.graph, x, c, b.prog);
       },
       [&](float x) { return x > c; }},
      {[&](Bench &b, const Tensor &x) {
         return popops::gteq(b.graph, x, c, b.prog);
       },
       [&](float x) { return x >= c; }},
      {[&](Bench &b, const Tensor &x) {
         return popops::eq(b.graph, x, c, b.prog);
       },
       [&](float x) { return x == c; }},
      {[&](Bench &b, const Tensor &x) {
         return popops::neq(b.graph, x, c, b.prog);
       },
       [&](float x) { return x != c; }},
  };
  for (std::size_t n = 0; n < comparisons.size(); ++n) {
    Bench b;
    const Tensor x = allHalves(b);
    const auto result = b.result<std::uint8_t>(comparisons[n].first(b, x));
    for (std::size_t i = 0; i < kPatterns; ++i)
      ASSERT_EQ(result[i], comparisons[n].second(halfToFloat(std::uint16_t(i))))
          << "comparison " << n << " of " << std::hex << i;
  }
}

TEST(AllHalves, ArithmeticWithAConstantIsRoundedOnce) {
  // Neither a power of two nor short, so that most results must be rounded.
  const float c = halfToFloat(0x3555); // about 1/3
  expectRounded(
      [&](Bench &b, const Tensor &x) {
        return popops::add(b.graph, x, c, b.prog);
      },
      [&](double x) { return x + c; });
  expectRounded(
      [&](Bench &b, const Tensor &x) {
        return popops::sub(b.graph, c, x, b.prog);
      },
      [&](double x) { return c - x; });
  expectRounded(
      [&](Bench &b, const Tensor &x) {
        return popops::mul(b.graph, x, c, b.prog);
      },
      [&](double x) { return x * c; });
  expectRounded(
      [&](Bench &b, const Tensor &x) {
        return popops::div(b.graph, x, c, b.prog);
      },
      [&](double x) { return x / c; });
  expectRounded(
      [&](Bench &b, const Tensor &x) {
        return popops::div(b.graph, c, x, b.prog);
      },
      [&](double x) { return c / x; });
  expectRounded(
      [&](Bench &b, const Tensor &x) {
        return popops::rem(b.graph, x, c, b.prog);
      },
      [&](double x) { return std::fmod(x, double(c)); });
}

TEST(AllHalves, ExactFunctionsAreExact) {
  expectRounded(
      [](Bench &b, const Tensor &x) {
        return popops::floor(b.graph, x, b.prog);
      },
      [](double x) { return std::floor(x); });
  expectRounded(
      [](Bench &b, const Tensor &x) {
        return popops::ceil(b.graph, x, b.prog);
      },
      [](double x) { return std::ceil(x); });
  expectRounded(
      [](Bench &b, const Tensor &x) {
        return popops::round(b.graph, x, b.prog);
      },
      [](double x) { return std::round(x); });
  expectRounded(
      [](Bench &b, const Tensor &x) {
        return popops::nearbyint(b.graph, x, b.prog);
      },
      [](double x) { return std::nearbyint(x); });
  expectRounded(
      [](Bench &b, const Tensor &x) {
        return popops::map(b.graph, popops::expr::UnaryOpType::TRUNC, x,
                           b.prog);
      },
      [](double x) { return std::trunc(x); });
  expectRounded(
      [](Bench &b, const Tensor &x) { return popops::neg(b.graph, x, b.prog); },
      [](double x) { return -x; });
  expectRounded(
      [](Bench &b, const Tensor &x) { return popops::abs(b.graph, x, b.prog); },
      [](double x) { return std::fabs(x); });
  expectRounded(
      [](Bench &b, const Tensor &x) {
        return popops::sqrt(b.graph, x, b.prog);
      },
      [](double x) { return std::sqrt(x); });
  expectRounded(
      [](Bench &b, const Tensor &x) {
        return popops::square(b.graph, x, b.prog);
      },
      [](double x) { return x * x; });
}
