#include "outfeed/compare/sample_difference.hpp"
#include "tests/outfeed/compare/summarised.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace popscope::outfeed {
namespace {

using tests::reducedTo;
using tests::sampleOf;

constexpr std::size_t kPairs = 1000;

std::vector<float> noise(std::mt19937 &random, std::size_t n, float scale) {
  std::normal_distribution<float> normal(0.0f, scale);
  std::vector<float> values(n);
  for (float &value : values)
    value = normal(random);
  return values;
}

// In double precision.
struct Exact {
  template <class A, class B>
  Exact(const std::vector<A> &a, const std::vector<B> &b) {
    double aa = 0, bb = 0, ab = 0, dd = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double x = double(float(a[i])), y = double(float(b[i]));
      aa += x * x, bb += y * y, ab += x * y, dd += (x - y) * (x - y);
    }
    relativeL2 = std::sqrt(dd / aa);
    cosine = ab / std::sqrt(aa * bb);
    // 1 - cosine, without cancellation
    const double apart = std::sqrt(aa) - std::sqrt(bb);
    gap = (dd - apart * apart) / (2 * std::sqrt(aa * bb));
  }
  double relativeL2, cosine, gap;
};

// A pair of tensors, a float and a float or half one, whose distance is
// somewhere between 1e-1 and 1e-5 of their norm. Some are like the output of a
// ReLU, and in some only a part of the elements differs.
struct RandomPair {
  explicit RandomPair(std::mt19937 &random) {
    const std::size_t n = 200 + random() % 4000;
    const float scale = std::pow(10.0f, float(random() % 9) - 4.0f);
    const float distance = std::pow(10.0f, -1.0f - float(random() % 5));
    const bool isRelu = random() % 3 == 0;
    const unsigned every = 1 + random() % 3;
    a = noise(random, n, scale);
    if (isRelu)
      for (float &value : a)
        value = std::max(value, 0.0f);
    b = a;
    const std::vector<float> change = noise(random, n, scale * distance);
    for (std::size_t i = 0; i < n; i += every)
      b[i] += change[i];
  }
  std::vector<float> a, b;
};

class Spread {
public:
  void add(double estimate, double exact) {
    const double error = estimate / exact - 1;
    squares_ += error * error;
    ++count_;
    least_ = std::min(least_, error);
    most_ = std::max(most_, error);
  }
  double standardError() const { return std::sqrt(squares_ / double(count_)); }
  double least() const { return least_; }
  double most() const { return most_; }

private:
  double squares_ = 0, least_ = 0, most_ = 0;
  std::size_t count_ = 0;
};

TEST(SampleDifference, EstimatesAreWithinTheStatedErrorOverAThousandPairs) {
  std::mt19937 random(17);
  Spread l2, gap;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const RandomPair pair(random);
    const SampleDifference found = compare(sampleOf(pair.a), sampleOf(pair.b));
    const Exact exact(pair.a, pair.b);
    ASSERT_EQ(found.evidence, Evidence::bits);
    ASSERT_FALSE(found.isSame);
    l2.add(found.relativeL2, exact.relativeL2);
    gap.add(1 - *found.cosine, exact.gap);
  }
  EXPECT_LT(l2.standardError(), 1.1 * kEstimateError);
  EXPECT_GT(l2.least(), -4 * kEstimateError);
  EXPECT_LT(l2.most(), 4 * kEstimateError);
  EXPECT_LT(gap.standardError(), 1.1 * 2 * kEstimateError);
}

TEST(SampleDifference, BetweenFloatAndHalfIsThatOfTheirValues) {
  std::mt19937 random(5);
  Spread l2;
  for (int i = 0; i < 200; ++i) {
    const std::vector<float> a = noise(random, 3000, 0.1f);
    const std::vector<half> b(a.begin(), a.end());
    const SampleDifference found = compare(sampleOf(a), sampleOf(b));
    ASSERT_EQ(found.evidence, Evidence::sketch);
    ASSERT_FALSE(found.isSame);
    l2.add(found.relativeL2, Exact(a, b).relativeL2);
  }
  EXPECT_LT(l2.standardError(), 1.2 * kEstimateError);
}

TEST(SampleDifference, OfEqualValuesInFloatAndHalfIsNoneButNotProven) {
  const std::vector<float> a{1.0f, -2.5f, 0.125f};
  const SampleDifference found =
      compare(sampleOf(a), sampleOf(std::vector<half>(a.begin(), a.end())));
  EXPECT_TRUE(found.isSame);
  EXPECT_FALSE(found.isProvenSame());
}

TEST(SampleDifference, EqualTensorsAreProvenEqual) {
  std::mt19937 random(1);
  const std::vector<float> a = noise(random, 5000, 3.0f);
  const SampleDifference found = compare(sampleOf(a), sampleOf(a));
  EXPECT_TRUE(found.isProvenSame());
  EXPECT_EQ(found.relativeL2, 0.0);
  EXPECT_EQ(*found.cosine, 1.0);
}

TEST(SampleDifference, OneBitIsEnoughToDiffer) {
  std::mt19937 random(2);
  const std::vector<float> a = noise(random, 5000, 3.0f);
  for (const std::size_t i :
       {std::size_t(0), std::size_t(2500), a.size() - 1}) {
    std::vector<float> b = a;
    b[i] = std::nextafter(b[i], 10.0f);
    EXPECT_FALSE(compare(sampleOf(a), sampleOf(b)).isSame) << i;
  }
  std::vector<float> zeros(64), negative(64);
  negative[7] = -0.0f;
  const SampleDifference found = compare(sampleOf(zeros), sampleOf(negative));
  EXPECT_FALSE(found.isSame);
  EXPECT_EQ(found.relativeL2, 0.0);
}

TEST(SampleDifference, ElementsThatChangePlacesDiffer) {
  std::vector<float> a{1, 2, 3, 4}, b{2, 1, 3, 4};
  EXPECT_FALSE(compare(sampleOf(a), sampleOf(b)).isSame);
}

TEST(SampleDifference, OfASingleElementIsExact) {
  std::mt19937 random(3);
  const std::vector<float> a = noise(random, 2000, 1.0f);
  std::vector<float> b = a;
  b[77] += 0.5f;
  EXPECT_NEAR(compare(sampleOf(a), sampleOf(b)).relativeL2 /
                  Exact(a, b).relativeL2,
              1.0, 1e-3);
}

TEST(SampleDifference, CosineIsThatOfTheDirection) {
  std::mt19937 random(4);
  const std::vector<float> a = noise(random, 4000, 1.0f);
  std::vector<float> opposite = a, twice = a;
  for (float &value : opposite)
    value = -value;
  for (float &value : twice)
    value *= 2;
  EXPECT_NEAR(*compare(sampleOf(a), sampleOf(opposite)).cosine, -1.0, 1e-6);
  EXPECT_NEAR(*compare(sampleOf(a), sampleOf(twice)).cosine, 1.0, 0.3);
  for (int i = 0; i < 100; ++i) {
    const std::vector<float> b = noise(random, 4000, 1.0f);
    EXPECT_LT(std::abs(*compare(sampleOf(a), sampleOf(b)).cosine), 0.9);
  }
}

TEST(SampleDifference, AWeightOnTwoReplicasIsThatOnOne) {
  std::mt19937 random(6);
  const std::vector<float> a = noise(random, 900, 1.0f);
  TensorSample both = sampleOf(a);
  both.merge(sampleOf(a));
  EXPECT_TRUE(compare(sampleOf(a), both).isProvenSame());
  EXPECT_TRUE(compare(both, sampleOf(a)).isProvenSame());
  std::vector<float> b = a;
  b[3] += 0.25f;
  TensorSample parted = sampleOf(a);
  parted.merge(sampleOf(b));
  EXPECT_FALSE(compare(sampleOf(a), parted).isSame);
  EXPECT_FALSE(compare(both, parted).isSame);
}

TEST(SampleDifference, MicroBatchesOfTwoReplicasAreThoseOfOne) {
  std::mt19937 random(7);
  std::vector<TensorSample> batches;
  for (int i = 0; i < 4; ++i)
    batches.push_back(sampleOf(noise(random, 500, 1.0f)));
  TensorSample inTurn = batches[0], first = batches[0], second = batches[1];
  for (int i = 1; i < 4; ++i)
    inTurn.merge(batches[i]);
  first.merge(batches[2]);
  second.merge(batches[3]);
  first.merge(second);
  EXPECT_TRUE(compare(inTurn, first).isProvenSame());
}

TEST(SampleDifference, OfPartsIsThatOfTheirAverage) {
  std::mt19937 random(8);
  const std::vector<float> a = noise(random, 3000, 1.0f);
  std::vector<float> b = a;
  for (float &value : b)
    value += 1e-3f * float(int(random() % 3) - 1);
  TensorSample twoA = sampleOf(a), twoB = sampleOf(b);
  twoA.merge(sampleOf(a));
  twoB.merge(sampleOf(b));
  const double exact = Exact(a, b).relativeL2;
  const SampleDifference found = compare(twoA, twoB);
  EXPECT_GT(found.relativeL2, exact / 2);
  EXPECT_LT(found.relativeL2, exact * 2);
  EXPECT_LT(1 - *found.cosine, 1e-5);
}

TEST(SampleDifference, IsInfiniteIfOneHasNaN) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const SampleDifference found =
      compare(sampleOf(std::vector<float>{1, 2, 3}),
              sampleOf(std::vector<float>{1, nan, 3}));
  EXPECT_FALSE(found.isSame);
  EXPECT_TRUE(std::isinf(found.relativeL2));
  EXPECT_FALSE(found.cosine);
}

TEST(SampleDifference, OfScaledGradientsIsWithoutTheScale) {
  std::mt19937 random(9);
  const std::vector<float> a = noise(random, 1000, 1.0f);
  std::vector<float> scaled = a;
  for (float &value : scaled)
    value *= 128;
  const SampleDigest plain = digestOf(sampleOf(a));
  SampleDigest digest = digestOf(sampleOf(scaled));
  EXPECT_NEAR(compare(plain, digest).relativeL2, 127, 40);
  digest.scale = 128;
  EXPECT_LT(compare(plain, digest).relativeL2, 1e-6);
  EXPECT_FALSE(compare(plain, digest).isProvenSame());
}

TEST(SampleDifference, StatisticsProveNothingAndBoundTheDistanceFromBelow) {
  std::mt19937 random(10);
  const Payload payloads[] = {Payload::alarm, Payload::stats, Payload::shape};
  for (std::size_t i = 0; i < kPairs / 5; ++i) {
    const RandomPair pair(random);
    for (const Payload payload : payloads) {
      const SampleDifference found =
          compare(reducedTo(payload, sampleOf(pair.a)), sampleOf(pair.b));
      ASSERT_EQ(found.evidence, Evidence::statistics);
      ASSERT_LE(found.relativeL2, Exact(pair.a, pair.b).relativeL2 * 1.001);
      ASSERT_FALSE(found.cosine);
    }
  }
  const std::vector<float> a = noise(random, 100, 1.0f);
  TensorSample summedOtherwise = reducedTo(Payload::stats, sampleOf(a));
  summedOtherwise.stats.mean += 1e-8;
  const SampleDifference same = compare(summedOtherwise, sampleOf(a));
  EXPECT_TRUE(same.isSame);
  EXPECT_FALSE(same.isProvenSame());
}

TEST(SampleDigest, ComesBackFromItsBytes) {
  std::mt19937 random(11);
  const TensorSample sample = sampleOf(noise(random, 700, 2.0f));
  for (const Payload payload :
       {Payload::alarm, Payload::stats, Payload::identity}) {
    const SampleDigest digest = digestOf(reducedTo(payload, sample));
    std::string bytes;
    appendDigest(bytes, digest);
    SampleDigest back;
    std::string_view rest = bytes;
    ASSERT_TRUE(takeDigest(rest, 700, back));
    EXPECT_TRUE(rest.empty());
    EXPECT_EQ(back.payload, digest.payload);
    EXPECT_EQ(back.count, 700u);
    EXPECT_EQ(back.absMax, digest.absMax);
    EXPECT_EQ(back.mean, digest.mean);
    EXPECT_EQ(back.deviation, digest.deviation);
    EXPECT_EQ(back.hash, digest.hash);
    EXPECT_EQ(back.sketch, digest.sketch);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      std::string_view torn(bytes.data(), size);
      ASSERT_FALSE(takeDigest(torn, 700, back)) << size;
    }
  }
}

} // namespace
} // namespace popscope::outfeed
