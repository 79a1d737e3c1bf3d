#include "codelets/row_merge.hpp"
#include "outfeed/tensor_sample.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

std::vector<float> waves(std::size_t n, float offset) {
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(offset + std::sin(float(i * i)));
  return values;
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
  EXPECT_EQ(merged.negativeExponents, whole.negativeExponents);
}

TEST(TensorSample, HistogramHoldsEveryFiniteElement) {
  std::vector<float> values = waves(1000, 0.1f);
  values[3] = 0.0f;
  values[4] = INFINITY;
  const summary::Histogram histogram = octaveHistogram(sampleOfFloats(values));
  EXPECT_EQ(histogram.posInf, 1u);
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
}

TEST(TensorSample, HistogramOfZerosHasOneBucket) {
  const summary::Histogram histogram =
      octaveHistogram(sampleOfFloats(std::vector<float>(7, 0.0f)));
  ASSERT_EQ(histogram.buckets.size(), 1u);
  EXPECT_EQ(histogram.buckets[0].count, 7.0);
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
  row.octaves[0][0] = 60;
  row.octaves[1][0] = 25;
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
