#include "codelets/row_merge.hpp"
#include "outfeed/tensor_sample.hpp"
#include "summary/statistics/half_float.hpp"
#include "tests/support/misplaced_share.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

std::vector<float> waves(std::size_t n, float offset) {
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(offset + std::sin(float(i * i)));
  return values;
}

std::string histogramText(const TensorSample &sample) {
  std::ostringstream text;
  text << std::hexfloat;
  for (const auto &bucket : histogramOf(sample).buckets)
    text << bucket.left << ' ' << bucket.right << ' ' << bucket.count << '\n';
  return text.str();
}

TEST(TensorSample, MergedPartsEqualTheWhole) {
  const std::vector<float> a = waves(500, 0.5f), b = waves(300, -2.0f);
  std::vector<float> both = a;
  both.insert(both.end(), b.begin(), b.end());
  TensorSample merged = sampleOfFloats(a);
  merged.merge(sampleOfFloats(b));
  const TensorSample whole = sampleOfFloats(both);
  EXPECT_EQ(merged.parts, 2u);
  EXPECT_EQ(merged.stats.count, whole.stats.count);
  EXPECT_NEAR(merged.stats.mean, whole.stats.mean, 1e-6);
  EXPECT_NEAR(merged.stats.m2, whole.stats.m2, 1e-4);
  EXPECT_EQ(histogramText(merged), histogramText(whole));
}

TEST(TensorSample, BucketsMergeInAnyOrder) {
  std::vector<std::vector<float>> parts;
  std::vector<float> whole;
  for (const float scale : {1e-3f, 40.0f, 1.0f, 1e-6f, 0.3f}) {
    parts.push_back(waves(400, 0.2f));
    for (float &value : parts.back())
      whole.push_back(value *= scale);
  }
  const std::string expected = histogramText(sampleOfFloats(whole));
  for (std::vector<std::size_t> order{0, 1, 2, 3, 4};;) {
    TensorSample merged = sampleOfFloats(parts[order[0]]);
    for (std::size_t i = 1; i < order.size(); ++i)
      merged.merge(sampleOfFloats(parts[order[i]]));
    ASSERT_EQ(histogramText(merged), expected);
    if (!std::next_permutation(order.begin(), order.end()))
      break;
  }
}

TEST(TensorSample, HistogramHoldsEveryFiniteElement) {
  std::vector<float> values = waves(1000, 0.1f);
  values[3] = 0.0f;
  values[4] = INFINITY;
  const summary::Histogram histogram = histogramOf(sampleOfFloats(values));
  double total = 0, end = histogram.buckets.front().left;
  for (const auto &bucket : histogram.buckets) {
    EXPECT_EQ(bucket.left, end);
    end = bucket.right;
    const auto inside =
        std::count_if(values.begin(), values.end(), [&](float x) {
          return std::isfinite(x) && double(x) > bucket.left &&
                 double(x) < bucket.right;
        });
    EXPECT_LE(double(inside), bucket.count);
    total += bucket.count;
  }
  EXPECT_EQ(total, 999.0);
  values.erase(values.begin() + 4);
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  EXPECT_EQ(histogram.buckets.front().left, double(*min));
  EXPECT_EQ(histogram.buckets.back().right, double(*max));
}

TEST(TensorSample, NoTwoNeighboursOfAHistogramAreEmpty) {
  const summary::Histogram histogram =
      histogramOf(sampleOfFloats(std::vector<float>{-1e-3f, 0.7f, 100.0f}));
  EXPECT_LE(histogram.buckets.size(), 7u);
  for (std::size_t i = 1; i < histogram.buckets.size(); ++i)
    EXPECT_GT(histogram.buckets[i - 1].count + histogram.buckets[i].count, 0);
}

// Re-binned as TensorBoard draws them, against the buckets that TensorFlow
// would make of the elements.
TEST(TensorSample, LittleOfASmoothHistogramIsMisplaced) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> gaussian(200000), relu, laplace;
  for (float &value : gaussian) {
    value = normal(random);
    relu.push_back(std::max(value, 0.0f));
    laplace.push_back(value * normal(random));
  }
  for (const auto *values : {&gaussian, &relu, &laplace})
    for (const float scale : {1.0f, 1.2f, 1.4f, 1.7f}) {
      std::vector<float> scaled = *values;
      for (float &value : scaled)
        value *= scale;
      EXPECT_LT(tests::misplacedShare(histogramOf(sampleOfFloats(scaled)),
                                      summary::uniformHistogram(scaled)),
                0.02);
    }
}

TEST(TensorSample, ZerosDoNotSpreadToTheSmallestElement) {
  std::vector<float> values(1000, 0.0f);
  values[3] = 1.0f;
  values[4] = 0.25f;
  const summary::Histogram histogram = histogramOf(sampleOfFloats(values));
  EXPECT_EQ(histogram.buckets[0].count, 998.0);
  EXPECT_LT(histogram.buckets[0].right, 1e-30);
  EXPECT_LT(tests::misplacedShare(histogram, summary::uniformHistogram(values)),
            2e-3);
}

TEST(TensorSample, HistogramOfZerosHasOneBucket) {
  const summary::Histogram histogram =
      histogramOf(sampleOfFloats(std::vector<float>(7, 0.0f)));
  ASSERT_EQ(histogram.buckets.size(), 1u);
  EXPECT_EQ(histogram.buckets[0].left, 0.0);
  EXPECT_EQ(histogram.buckets[0].count, 7.0);
}

TEST(TensorSample, HistogramOfSubnormalsHasOneBucket) {
  const summary::Histogram histogram =
      histogramOf(sampleOfFloats(std::vector<float>{1e-40f, -2e-40f, 0.0f}));
  ASSERT_EQ(histogram.buckets.size(), 1u);
  EXPECT_EQ(histogram.buckets[0].left, double(-2e-40f));
  EXPECT_EQ(histogram.buckets[0].right, double(1e-40f));
  EXPECT_EQ(histogram.buckets[0].count, 3.0);
}

TEST(TensorSample, HistogramOfTheSmallestNormalFloats) {
  const float smallest = std::numeric_limits<float>::min();
  const summary::Histogram histogram = histogramOf(
      sampleOfFloats(std::vector<float>{-smallest, 1e-40f, 3 * smallest}));
  EXPECT_EQ(histogram.buckets.front().left, -double(smallest));
  EXPECT_EQ(histogram.buckets.back().right, 3 * double(smallest));
  double total = 0;
  for (const auto &bucket : histogram.buckets) {
    EXPECT_LE(bucket.left, bucket.right);
    total += bucket.count;
  }
  EXPECT_EQ(total, 3.0);
}

TEST(TensorSample, HistogramReachesTheLargestFloat) {
  const float largest = std::numeric_limits<float>::max();
  const summary::Histogram histogram =
      histogramOf(sampleOfFloats(std::vector<float>{-largest, 1.0f, largest}));
  EXPECT_EQ(histogram.buckets.front().left, -double(largest));
  EXPECT_EQ(histogram.buckets.back().right, double(largest));
  EXPECT_EQ(histogram.buckets.back().count, 1.0);
}

TEST(TensorSample, HalvesHaveTheBucketsOfTheSameFloats) {
  std::vector<std::uint16_t> halves;
  std::vector<float> floats;
  for (unsigned bits = 0; bits < 0x10000; bits += 3)
    if ((bits & 0x7c00) != 0x7c00) {
      halves.push_back(std::uint16_t(bits));
      floats.push_back(summary::floatOfHalf(std::uint16_t(bits)));
    }
  EXPECT_EQ(histogramText(sampleOfHalves(halves)),
            histogramText(sampleOfFloats(floats)));
}

TEST(TensorSample, StatisticsDoNotDependOnTheAddress) {
  const std::vector<float> values = waves(100000, 0.3f);
  const TensorSample expected = sampleOfFloats(values);
  for (std::size_t offset = 0; offset < 16; ++offset) {
    std::vector<float> moved(offset);
    moved.insert(moved.end(), values.begin(), values.end());
    const TensorSample sample =
        sampleOfFloats({moved.data() + offset, values.size()});
    EXPECT_EQ(sample.stats.mean, expected.stats.mean);
    EXPECT_EQ(sample.stats.m2, expected.stats.m2);
    EXPECT_EQ(sample.stats.m4, expected.stats.m4);
    EXPECT_EQ(sample.stats.sumSquares, expected.stats.sumSquares);
  }
}

TEST(TensorSample, ReadsARowBackAsItWas) {
  StatsRow row = emptyRow();
  row.count = 100;
  row.nan = 2;
  row.zero = 8;
  row.positive = 60;
  row.mean = 0.5f;
  row.deviation = 2.0f;
  row.kurtosis = 3.0f;
  row.min = -4.0f;
  row.max = 6.0f;
  row.topExponent = 129;
  row.buckets[0][3] = 60;
  row.buckets[1][2] = 25;
  unsigned words[kMaxRowWords];
  storeRow(words, row, StatsTier::shape);
  const TensorSample sample =
      sampleOfRow(words, Payload::shape, 100, summary::FloatFormat::float32);
  EXPECT_EQ(sample.stats.finite(), 98u);
  EXPECT_EQ(sample.stats.negative, 30u);
  EXPECT_DOUBLE_EQ(sample.stats.standardDeviation(), 2.0);
  EXPECT_DOUBLE_EQ(sample.stats.kurtosis(), 3.0);
  EXPECT_EQ(sample.stats.exponents[129], 85u);
  EXPECT_EQ(sample.stats.exponents[0], 13u); // zeros and what is very small
}

} // namespace
} // namespace popscope::outfeed
