#include "codelets/signed_scan.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace popscope {
namespace {

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

void expectBitsOfTwoPasses(const std::vector<float> &values) {
  const unsigned n = unsigned(values.size());
  const SignedScan scan(values.data(), n);
  const BlockBits bits = bitsOfBlock(values.data(), n);
  const BlockSums sums = sumBlock(values.data(), n, 0.0f);
  EXPECT_EQ(bitsOf(scan.sums.sum), bitsOf(sums.sum));
  EXPECT_EQ(bitsOf(scan.sums.squares), bitsOf(sums.squares));
  EXPECT_EQ(bitsOf(scan.sums.abs), bitsOf(sums.abs));
  EXPECT_EQ(scan.bits.greatest, bits.greatest);
  EXPECT_EQ(scan.bits.least, bits.least);
  EXPECT_EQ(scan.bits.positive, bits.positive);
  EXPECT_EQ(scan.isComplete, bits.zero == 0);
  if (scan.isComplete) {
    EXPECT_EQ(scan.bits.lowest, bits.lowest);
    EXPECT_EQ(scan.bits.zero, bits.zero);
  }
}

// Whole lanes, whole pieces, and what is left over.
const unsigned kSizes[] = {1,    7,    31,   32,   33,   64,  100,
                           1000, 4095, 4096, 4097, 5408, 8192};

TEST(SignedScan, HasTheBitsOfTwoPasses) {
  for (const unsigned n : kSizes)
    for (const unsigned zeroEvery : {0u, 1u, 3u, n}) {
      SCOPED_TRACE(testing::Message() << n << " elements, " << zeroEvery);
      expectBitsOfTwoPasses(elements(n, zeroEvery));
    }
}

TEST(SignedScan, ElementsOfOneSign) {
  std::vector<float> values = elements(777, 0);
  for (const float sign : {1.0f, -1.0f}) {
    for (float &value : values)
      value = std::copysign(value, sign);
    expectBitsOfTwoPasses(values);
  }
}

TEST(SignedScan, SeesInfinityAndNaNWhereverTheyAre) {
  constexpr unsigned kCount = 4130;
  for (const float bad : {std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN()})
    for (const unsigned place : {0u, 8u, 17u, 31u, 4095u, 4096u, 4129u}) {
      std::vector<float> values = elements(kCount, 0);
      values[place] = bad;
      EXPECT_GE(SignedScan(values.data(), kCount).bits.largest(),
                ElementFormat<float>::kInfinity);
    }
}

} // namespace
} // namespace popscope
