#include "summary/values/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace popscope::summary {
namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

struct Row {
  double left, right, count;
};

void expectRows(const Histogram &histogram, const std::vector<Row> &rows) {
  ASSERT_EQ(histogram.buckets.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_DOUBLE_EQ(histogram.buckets[i].left, rows[i].left) << i;
    EXPECT_DOUBLE_EQ(histogram.buckets[i].right, rows[i].right) << i;
    EXPECT_EQ(histogram.buckets[i].count, rows[i].count) << i;
  }
}

double totalOf(const Histogram &histogram) {
  double total = 0;
  for (const auto &bucket : histogram.buckets)
    total += bucket.count;
  return total;
}

std::vector<float> normal(std::size_t count, float scale, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> distribution(0, scale);
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(),
                [&] { return distribution(random); });
  return values;
}

TEST(UniformHistogram, IsThatOfTensorFlow) {
  expectRows(uniformHistogram(std::vector<float>{0, 1, 2, 3, 4}, 4),
             {{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {3, 4, 2}});
  const auto counts =
      uniformHistogram(std::vector<float>{0, .1F, .2F, .3F, 1}, 5);
  EXPECT_EQ(counts.buckets[0].count, 2);
  EXPECT_EQ(counts.buckets[1].count, 2);
  EXPECT_EQ(counts.buckets[4].count, 1);
}

TEST(UniformHistogram, EqualValuesFallIntoTheLastBucket) {
  expectRows(uniformHistogram(std::vector<float>{-1, -1, -1}, 3),
             {{-1, -1, 0}, {-1, -1, 0}, {-1, -1, 3}});
}

TEST(UniformHistogram, NothingGivesEmptyBuckets) {
  expectRows(uniformHistogram({}, 2), {{0, 0, 0}, {0, 0, 0}});
  EXPECT_TRUE(uniformHistogram(std::vector<float>{1, 2}, 0).buckets.empty());
  const auto bad = uniformHistogram(std::vector<float>{kNan, kInf}, 2);
  expectRows(bad, {{0, 0, 0}, {0, 0, 0}});
  EXPECT_EQ(bad.nan, 1u);
  EXPECT_EQ(bad.posInf, 1u);
}

TEST(UniformHistogram, NonFiniteAreCountedAndNowhereElse) {
  auto values = normal(10000, 1);
  const auto clean = uniformHistogram(values);
  values.insert(values.begin() + 5000, {kNan, kInf, kNan, -kInf});
  const auto dirty = uniformHistogram(values);
  EXPECT_EQ(dirty.nan, 2u);
  EXPECT_EQ(dirty.posInf, 1u);
  EXPECT_EQ(dirty.negInf, 1u);
  ASSERT_EQ(dirty.buckets.size(), clean.buckets.size());
  for (std::size_t i = 0; i < clean.buckets.size(); ++i) {
    EXPECT_EQ(dirty.buckets[i].left, clean.buckets[i].left);
    EXPECT_EQ(dirty.buckets[i].count, clean.buckets[i].count);
  }
}

// The rule written down element by element.
TEST(UniformHistogram, MatchesTheRuleInDoublePrecisionExactly) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t buckets = 1 + random() % 60;
    auto values = normal(1 + random() % 5000, 1, random());
    if (trial % 3 == 0) // many elements exactly on edges
      for (float &value : values)
        value = std::round(value * 8);
    if (trial % 7 == 0)
      for (float &value : values)
        value = value * 1e-30F + 1e-30F;
    const double low = *std::min_element(values.begin(), values.end());
    const double high = *std::max_element(values.begin(), values.end());
    if (low == high)
      continue;
    const double width = (high - low) / double(buckets);
    std::vector<double> counts(buckets);
    for (const float value : values)
      counts[std::min(std::size_t(std::floor((value - low) / width)),
                      buckets - 1)] += 1;
    const auto histogram = uniformHistogram(values, buckets);
    EXPECT_EQ(histogram.buckets.front().left, low);
    EXPECT_EQ(histogram.buckets.back().right, high);
    for (std::size_t b = 0; b < buckets; ++b)
      ASSERT_EQ(histogram.buckets[b].count, counts[b]) << trial << ' ' << b;
  }
}

TEST(HistogramWithEdges, CountsBetweenEdgesAndBesideThem) {
  const std::vector<double> edges{0, 1, 10};
  expectRows(histogramWithEdges(
                 std::vector<float>{-5, 0, 0.5F, 1, 9, 10, kNan, 12}, edges),
             {{-5, 0, 1}, {0, 1, 2}, {1, 10, 3}, {10, 12, 1}});
  expectRows(histogramWithEdges(std::vector<float>{0.5F}, edges),
             {{0, 1, 1}, {1, 10, 0}});
}

TEST(HistogramWithEdges, RefusesEdgesThatDoNotAscend) {
  const std::vector<float> values{1};
  for (const std::vector<double> &edges :
       {std::vector<double>{}, {1}, {1, 1}, {2, 1}, {0, double(kInf)}})
    EXPECT_THROW(histogramWithEdges(values, edges), std::invalid_argument);
}

// TensorFlow's limits and its binary search.
std::vector<double> referenceLimits() {
  std::vector<double> limits{0};
  for (double v = 1.0e-12; v < 1.0e20; v *= 1.1) {
    limits.push_back(v);
    limits.push_back(-v);
  }
  limits.push_back(std::numeric_limits<double>::max());
  limits.push_back(-std::numeric_limits<double>::max());
  std::sort(limits.begin(), limits.end());
  return limits;
}

TEST(ExponentialHistogram, HasTensorFlowsBuckets) {
  EXPECT_EQ(referenceLimits().size(), 1551u);
}

// Every limit, its neighbours, and the extremes of float: the bucket must hold
// the element, and be the one a search finds.
TEST(ExponentialHistogram, AgreesWithABinarySearchOnEveryEdge) {
  const auto limits = referenceLimits();
  std::vector<float> values{0.0F,
                            -0.0F,
                            std::numeric_limits<float>::denorm_min(),
                            -std::numeric_limits<float>::denorm_min(),
                            std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::lowest()};
  for (const double limit : limits) {
    const auto near = static_cast<float>(limit);
    if (std::isinf(near))
      continue;
    values.push_back(near);
    values.push_back(std::nextafter(near, kInf));
    values.push_back(std::nextafter(near, -kInf));
  }
  for (const float value : values) {
    // Two sentinels keep the outer edges from being drawn in to the element.
    const auto histogram = exponentialHistogram(
        std::vector<float>{std::numeric_limits<float>::lowest(), value,
                           std::numeric_limits<float>::max()});
    const auto above = std::upper_bound(limits.begin(), limits.end(),
                                        static_cast<double>(value));
    const double right = *above, left = *(above - 1);
    const bool found = std::any_of(
        histogram.buckets.begin(), histogram.buckets.end(),
        [&](const Histogram::Bucket &bucket) {
          const bool isFirst = &bucket == &histogram.buckets.front();
          const bool isLast = &bucket == &histogram.buckets.back();
          return bucket.count > 0 && (isFirst || bucket.left == left) &&
                 (isLast || bucket.right == right) &&
                 bucket.left <= double(value) && double(value) <= bucket.right;
        });
    ASSERT_TRUE(found) << value;
    ASSERT_EQ(totalOf(histogram), 3);
  }
}

TEST(ExponentialHistogram, MatchesASearchOnRandomData) {
  const auto limits = referenceLimits();
  std::mt19937 random(11);
  std::vector<float> values;
  while (values.size() < 200000) {
    const std::uint32_t bits = random();
    float value;
    std::memcpy(&value, &bits, sizeof value);
    if (std::isfinite(value))
      values.push_back(value);
  }
  std::vector<double> counts(limits.size());
  for (const float value : values)
    counts[static_cast<std::size_t>(
        std::upper_bound(limits.begin(), limits.end(), double(value)) -
        limits.begin())] += 1;
  const auto histogram = exponentialHistogram(values);
  for (const auto &bucket : histogram.buckets) {
    if (bucket.count == 0)
      continue;
    const double middle = bucket.left + (bucket.right - bucket.left) / 2;
    const auto index = static_cast<std::size_t>(
        std::upper_bound(limits.begin(), limits.end(), middle) -
        limits.begin());
    ASSERT_EQ(bucket.count, counts[index]) << bucket.left;
  }
  EXPECT_EQ(totalOf(histogram), double(values.size()));
}

TEST(ExponentialHistogram, RowsAscendAndTouchAndEndAtTheExtremes) {
  const auto values = normal(5000, 0.05F);
  const auto histogram = exponentialHistogram(values);
  EXPECT_EQ(histogram.buckets.front().left,
            *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(histogram.buckets.back().right,
            *std::max_element(values.begin(), values.end()));
  for (std::size_t i = 0; i < histogram.buckets.size(); ++i) {
    EXPECT_LT(histogram.buckets[i].left, histogram.buckets[i].right);
    if (i > 0) {
      EXPECT_EQ(histogram.buckets[i].left, histogram.buckets[i - 1].right);
      EXPECT_FALSE(histogram.buckets[i].count == 0 &&
                   histogram.buckets[i - 1].count == 0);
    }
  }
}

TEST(ExponentialHistogram, PartsMergeToTheWhole) {
  auto values = normal(9000, 3);
  values[17] = kNan;
  values[8000] = -kInf;
  ExponentialCounts whole, first, second;
  whole.add(values);
  first.add(Span<const float>(values).first(4001));
  second.add(Span<const float>(values).from(4001));
  second.merge(first);
  const auto a = whole.histogram(), b = second.histogram();
  EXPECT_EQ(a.nan, b.nan);
  EXPECT_EQ(a.negInf, b.negInf);
  ASSERT_EQ(a.buckets.size(), b.buckets.size());
  for (std::size_t i = 0; i < a.buckets.size(); ++i) {
    EXPECT_EQ(a.buckets[i].left, b.buckets[i].left);
    EXPECT_EQ(a.buckets[i].count, b.buckets[i].count);
  }
}

TEST(ExponentialHistogram, OfNothingIsEmpty) {
  EXPECT_TRUE(exponentialHistogram({}).buckets.empty());
  EXPECT_TRUE(exponentialHistogram(std::vector<float>{kNan}).buckets.empty());
}

} // namespace
} // namespace popscope::summary
