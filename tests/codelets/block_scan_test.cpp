#include "codelets/block_scan.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace popscope {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Gaussian elements; every `zeroEvery`-th is a zero of either sign.
std::vector<float> elements(unsigned n, unsigned zeroEvery) {
  std::mt19937 random(n + zeroEvery);
  std::normal_distribution<float> normal(0.1f, 2.0f);
  std::vector<float> values(n);
  for (unsigned i = 0; i < n; ++i)
    values[i] = zeroEvery != 0 && i % zeroEvery == zeroEvery - 1
                    ? std::copysign(0.0f, float(i % 2) - 0.5f)
                    : normal(random);
  return values;
}

// As a ReLU gives them.
std::vector<float> nonNegative(std::vector<float> values) {
  for (float &value : values)
    value = value > 0.0f ? value : 0.0f;
  return values;
}

struct Expected {
  double sum = 0, squares = 0, abs = 0, cubes = 0, fourths = 0;
  float min = kInfinity, max = -kInfinity, nearest = kInfinity; // not 0
  unsigned zero = 0, positive = 0;

  explicit Expected(const std::vector<float> &values) {
    for (const float value : values) {
      const double x = double(value);
      sum += x;
      squares += x * x;
      abs += std::fabs(x);
      cubes += x * x * x;
      fourths += x * x * x * x;
      min = std::min(min, value);
      max = std::max(max, value);
      if (value != 0)
        nearest = std::min(nearest, std::fabs(value));
      zero += value == 0;
      positive += value > 0;
    }
  }
};

void expectClose(float sum, double expected, double ofMagnitudes) {
  EXPECT_NEAR(double(sum), expected, 1e-6 * ofMagnitudes);
}

template <class Scan> void expectScanned(const std::vector<float> &values) {
  const Scan scan(values.data(), unsigned(values.size()));
  const Expected expected(values);
  expectClose(scan.sums.sum, expected.sum, expected.abs);
  expectClose(scan.sums.squares, expected.squares, expected.squares);
  expectClose(scan.sums.abs, expected.abs, expected.abs);
  EXPECT_EQ(scan.bits.min(), expected.min);
  EXPECT_EQ(scan.bits.max(), expected.max);
  EXPECT_EQ(scan.bits.largest(),
            bitsOf(std::max(std::fabs(expected.min), std::fabs(expected.max))));
  EXPECT_EQ(scan.bits.zero, expected.zero);
  EXPECT_EQ(scan.bits.positive, expected.positive);
  if (expected.zero != values.size()) {
    EXPECT_EQ(floatOf(scan.bits.lowest + 1), expected.nearest);
  }
}

// Whole lanes, whole pieces, and what is left over.
const unsigned kSizes[] = {1,    7,    15,   16,   17,   63,   64,  100,
                           1000, 2047, 2048, 2049, 4097, 5408, 8192};

TEST(BlockScan, HasSumsCountsAndExtremesOfBothSigns) {
  for (const unsigned n : kSizes)
    for (const unsigned zeroEvery : {0u, 1u, 3u, n}) {
      SCOPED_TRACE(testing::Message() << n << " elements, " << zeroEvery);
      expectScanned<BlockScan<Signs::any>>(elements(n, zeroEvery));
    }
}

TEST(BlockScan, NegativeElementsAlone) {
  std::vector<float> values = elements(777, 0);
  for (float &value : values)
    value = -std::fabs(value);
  expectScanned<BlockScan<Signs::any>>(values);
}

TEST(BlockScan, OfNonNegativeElementsHasTheBitsOfThatOfBothSigns) {
  for (const unsigned n : kSizes) {
    SCOPED_TRACE(testing::Message() << n << " elements");
    const std::vector<float> values = nonNegative(elements(n, 5));
    expectScanned<BlockScan<Signs::nonNegative>>(values);
    const BlockScan<Signs::nonNegative> one(values.data(), n);
    const BlockScan<Signs::any> both(values.data(), n);
    EXPECT_FALSE(one.bits.hasNegative());
    EXPECT_EQ(bitsOf(one.sums.sum), bitsOf(both.sums.sum));
    EXPECT_EQ(bitsOf(one.sums.squares), bitsOf(both.sums.squares));
    EXPECT_EQ(bitsOf(one.sums.abs), bitsOf(both.sums.abs));
  }
}

TEST(BlockScan, HasSumsOfHigherPowers) {
  const std::vector<float> values = nonNegative(elements(5408, 5));
  const BlockScan<Signs::nonNegative, true> scan(values.data(), 5408);
  const Expected expected(values);
  expectClose(scan.powers.cubes, expected.cubes, expected.cubes);
  expectClose(scan.powers.fourths, expected.fourths, expected.fourths);
}

TEST(BlockScan, SeesANegativeElementWhereverItIs) {
  for (const float negative : {-1.0f, -0.0f, -kInfinity})
    for (const unsigned place : {0u, 17u, 2047u, 2048u, 4097u, 4129u}) {
      std::vector<float> values = nonNegative(elements(4130, 5));
      values[place] = negative;
      const BlockScan<Signs::nonNegative> scan(values.data(), 4130);
      EXPECT_TRUE(scan.bits.hasNegative());
    }
}

TEST(BlockScan, SeesInfinityAndNaNWhereverTheyAre) {
  constexpr unsigned kCount = 4130;
  for (const float bad :
       {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()})
    for (const unsigned place : {0u, 8u, 17u, 2047u, 2048u, 4096u, 4129u}) {
      std::vector<float> values = elements(kCount, 0);
      values[place] = bad;
      EXPECT_GE(BlockScan<Signs::any>(values.data(), kCount).bits.largest(),
                ElementFormat<float>::kInfinity);
      std::vector<float> relu = nonNegative(elements(kCount, 0));
      relu[place] = std::fabs(bad);
      EXPECT_GE(
          BlockScan<Signs::nonNegative>(relu.data(), kCount).bits.largest(),
          ElementFormat<float>::kInfinity);
    }
}

} // namespace
} // namespace popscope
