#include "host/events/writing/tensor_fold.hpp"
#include "outfeed/sinks/statistic.hpp"
#include "outfeed/tensor_sample.hpp"
#include "tests/support/reference_stats.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace popscope::host::events {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> waves(std::size_t n, float offset, float scale) {
  std::vector<float> values;
  for (std::size_t i = 0; i < n; ++i)
    values.push_back(i % 7 == 0 ? 0 : offset + scale * std::sin(float(i * i)));
  return values;
}

enum class With { histogram, statisticsOnly };

// What an event file has of a tensor with these elements.
TensorRecord recordOf(const std::vector<float> &elements,
                      With with = With::histogram) {
  const outfeed::TensorSample sample = outfeed::sampleOfFloats(elements);
  TensorRecord record;
  for (std::size_t i = 0; i < outfeed::kNumLogged; ++i) {
    const Statistic statistic = outfeed::kLoggedStatistics[i];
    const auto value = outfeed::valueOf(statistic, sample);
    if (value && (i < outfeed::kAlwaysLogged || *value != 0))
      record.values[statistic] = *value;
  }
  if (with == With::histogram && sample.stats.finite() != 0)
    record.histogram = outfeed::histogramOf(sample);
  return record;
}

using Parts = std::vector<std::vector<float>>;

std::vector<float> joined(const Parts &parts) {
  std::vector<float> all;
  for (const auto &part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

TensorRecord foldOf(const Parts &parts, With with = With::histogram) {
  std::vector<TensorRecord> records;
  for (const auto &part : parts)
    records.push_back(recordOf(part, with));
  return foldParts(records);
}

// Against the elements themselves, in the slow and obvious way.
void expectMoments(const TensorRecord &record, const Parts &parts) {
  const tests::ReferenceStats whole = tests::referenceStats(joined(parts));
  const double deviation =
      std::sqrt(double(whole.m2) / double(whole.finite.size()));
  EXPECT_NEAR(record.values.at(Statistic::mean), double(whole.mean),
              1e-6 * deviation);
  EXPECT_NEAR(record.values.at(Statistic::deviation), deviation,
              1e-6 * deviation);
}

TEST(TensorFold, PartsGiveTheStatisticsOfAllTheirElements) {
  for (const Parts &parts :
       {Parts{waves(500, 0.5F, 1), waves(300, -2, 4)},
        Parts{waves(100, 1e4F, 1e-2F), waves(100, -1e4F, 1e-2F)},
        Parts{{3}, waves(9, 0, 1), {-4, -4}},
        Parts{{kNan, 1, kInfinity, 2, -kInfinity}, {kNan, 5, 6, 7, 8}}}) {
    const TensorRecord folded = foldOf(parts);
    const TensorRecord whole = recordOf(joined(parts));
    double scale = 1; // of the elements
    for (const float element : joined(parts))
      if (std::isfinite(element))
        scale = std::max(scale, std::fabs(double(element)));
    for (const auto &[statistic, value] : whole.values) {
      const double found = folded.values.at(statistic);
      if (std::isinf(value))
        EXPECT_EQ(found, value) << outfeed::nameOf(statistic);
      else
        EXPECT_NEAR(found, value, 1e-6 * std::max(scale, std::fabs(value)))
            << outfeed::nameOf(statistic);
    }
    EXPECT_EQ(folded.values.size(), whole.values.size());
    expectMoments(folded, parts);
  }
}

TEST(TensorFold, PartsOfOneTensorNeedNoHistogramIfAllIsFinite) {
  const Parts parts{waves(200, 1, 2), waves(200, -3, 1), waves(200, 0, 9)};
  const TensorRecord folded = foldOf(parts, With::statisticsOnly);
  expectMoments(folded, parts);
  EXPECT_NEAR(folded.values.at(Statistic::zeroShare),
              recordOf(joined(parts)).values.at(Statistic::zeroShare), 1e-12);
}

TEST(TensorFold, MeansOfUnknownNumbersOfElementsAreLeftOut) {
  const TensorRecord folded =
      foldOf({{kNan, 1, 2, 3}, {4, 5, 6, 7}}, With::statisticsOnly);
  EXPECT_EQ(folded.values.count(Statistic::mean), 0U);
  EXPECT_EQ(folded.values.count(Statistic::deviation), 0U);
  EXPECT_EQ(folded.values.at(Statistic::nan), 1);
  EXPECT_EQ(folded.values.at(Statistic::max), 7);
}

TEST(TensorFold, APartOfNothingButNanChangesOnlyTheCountsAndShares) {
  const TensorRecord folded = foldOf({{kNan, kNan}, {0, 8}});
  EXPECT_EQ(folded.values.at(Statistic::nan), 2);
  EXPECT_EQ(folded.values.at(Statistic::mean), 4);
  EXPECT_EQ(folded.values.at(Statistic::zeroShare), 0.25);
}

TEST(TensorFold, SaturationOfOnePartIsAShareOfAll) {
  TensorRecord saturated, other;
  saturated.values = {{Statistic::saturatedShare, 0.5}};
  other.values = {{Statistic::absMax, 1}};
  EXPECT_EQ(foldParts({saturated, other}).values.at(Statistic::saturatedShare),
            0.25);
}

TEST(TensorFold, FingerprintsAreThoseOfTheSumOfTheHashes) {
  const unsigned a = 0xdeadbeef, b = 0x12345678;
  const auto fingerprint = [](unsigned hash) {
    outfeed::TensorSample sample;
    sample.payload = outfeed::Payload::identity;
    sample.hash[0] = hash;
    TensorRecord record;
    record.values = {{Statistic::fingerprint,
                      *outfeed::valueOf(Statistic::fingerprint, sample)}};
    return record;
  };
  EXPECT_EQ(foldParts({fingerprint(a), fingerprint(b)}).values,
            fingerprint(a + b).values);
}

TEST(TensorFold, FoldedHistogramsCountEveryElementInItsBucket) {
  for (const Parts &parts :
       {Parts{waves(500, 0, 1), waves(500, 0, 1e-4F)},
        Parts{waves(50, 40, 1), waves(50, -3, 1e-3F), {1e-30F, 0, 1}},
        Parts{{8, 9.5F}, {8, 8.5F, 11}}, Parts{{2, 2}, {2}}, Parts{{1}, {2}},
        Parts{{0, 0}, {0}}, Parts{{10}, {8, 11}},
        Parts{{8, 9.5F}, {9.5F, 11}}}) {
    const std::vector<float> all = joined(parts);
    const auto buckets = foldOf(parts).histogram->buckets;
    ASSERT_FALSE(buckets.empty());
    EXPECT_EQ(buckets.front().left, *std::min_element(all.begin(), all.end()));
    EXPECT_EQ(buckets.back().right, *std::max_element(all.begin(), all.end()));
    for (const auto &bucket : buckets) {
      const bool isLast = &bucket == &buckets.back();
      const auto count = std::count_if(all.begin(), all.end(), [&](float x) {
        return bucket.left <= double(x) &&
               (double(x) < bucket.right ||
                (isLast && double(x) == bucket.right));
      });
      EXPECT_EQ(bucket.count, double(count))
          << bucket.left << " to " << bucket.right;
    }
  }
}

TEST(TensorFold, AFoldedHistogramIsAsFineAsThatOfTheWhole) {
  const Parts parts{waves(500, 0, 1), waves(500, 0, 1e-2F)};
  const auto folded = foldOf(parts).histogram->buckets;
  const auto whole = recordOf(joined(parts)).histogram->buckets;
  for (const auto &bucket : whole)
    EXPECT_TRUE(std::any_of(folded.begin(), folded.end(),
                            [&](const auto &ours) {
                              return ours.left == bucket.left;
                            }) ||
                bucket.count == 0)
        << bucket.left;
}

TEST(TensorFold, OnlyTagsOfTapsAreFolded) {
  const auto tag = parseTapTag("tapped_weights/conv_0/kernel:0/l2_norm");
  ASSERT_TRUE(tag);
  EXPECT_EQ(tag->tensor, "tapped_weights/conv_0/kernel:0");
  EXPECT_EQ(tag->statistic, Statistic::l2Norm);
  EXPECT_EQ(parseTapTag("tapped_gradients/a/histogram")->statistic,
            std::nullopt);
  for (const char *other :
       {"loss", "weights/a/mean", "tapped_weights/mean", "tapped_weights",
        "tapped_updates/a_update/ratio_to_weight", "tapped_health/not_finite",
        "tapped_weights/a/skewness", "tapped_weights/a/", ""})
    EXPECT_FALSE(parseTapTag(other)) << other;
}

} // namespace
} // namespace popscope::host::events
