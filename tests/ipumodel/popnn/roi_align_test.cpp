#include "tests/ipumodel/popops/operators.hpp"

#include <popnn/experimental/ROIAlign.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <gtest/gtest.h>

using namespace poplar;
using operators::Bench;
using operators::Shape;
using popnn::experimental::roiAlignFwd;
using popnn::experimental::roiAlignInputGradient;
using popnn::experimental::roiAlignParams;
using poputil::poplibs_error;

namespace {

constexpr std::size_t kBatch = 2, kChannels = 3, kHeight = 9, kWidth = 12;

// Of a channel, its value at row y and column x.
double plane(std::size_t item, std::size_t channel, double y, double x) {
  return double(item) * 4 + double(channel) + 0.5 * y - 0.25 * x;
}

std::vector<float> planes() {
  std::vector<float> values;
  for (std::size_t i = 0; i < kBatch * kChannels * kHeight * kWidth; ++i)
    values.push_back(float(plane(
        i / (kChannels * kHeight * kWidth), i / (kHeight * kWidth) % kChannels,
        double(i / kWidth % kHeight), double(i % kWidth))));
  return values;
}

// Interpolation is exact on planes, and points lie symmetrically in bins:
// inside of the field a bin has the value in its middle.
TEST(RoiAlign, OfAPlaneIsThePlaneInTheMiddleOfBins) {
  // x1, y1, x2, y2, in coordinates of twice the field's.
  const std::vector<float> regions{2, 2, 10, 12, 6, 4, 20, 15, 9, 3, 9.5f, 3};
  const std::vector<int> items{1, 0, 1};
  constexpr std::size_t kRows = 2, kColumns = 3;
  for (const bool aligned : {false, true})
    for (const unsigned samples : {1u, 2u, 3u})
      for (const Type &type : {FLOAT, HALF}) {
        Bench b;
        Tensor features =
            b.tensor(type, {kBatch, kChannels, kHeight, kWidth}, planes());
        Tensor rois = b.tensor(type, {3, 4}, regions);
        Tensor index = b.ints({3}, items);
        const Tensor pooled = roiAlignFwd(
            b.graph, b.prog, features, rois, index,
            roiAlignParams(samples, kRows, kColumns, aligned, 0.5f));
        ASSERT_EQ(pooled.shape(), Shape({3, kChannels, kRows, kColumns}));
        const std::vector<float> got = b.floatsOf(pooled);
        for (std::size_t i = 0; i < got.size(); ++i) {
          const std::size_t r = i / (kChannels * kRows * kColumns);
          const std::size_t channel = i / (kRows * kColumns) % kChannels;
          const double shift = aligned ? 0.5 : 0, least = aligned ? 0 : 1;
          const auto middle = [&](unsigned from, std::size_t bin,
                                  std::size_t bins) {
            const double begin = regions[r * 4 + from] * 0.5 - shift;
            const double size = regions[r * 4 + from + 2] * 0.5 - shift - begin;
            return begin +
                   std::max(size, least) * (double(bin) + 0.5) / double(bins);
          };
          ASSERT_NEAR(got[i],
                      plane(items[r], channel,
                            middle(1, i / kColumns % kRows, kRows),
                            middle(0, i % kColumns, kColumns)),
                      type == HALF ? 4e-3 : 1e-5)
              << "region " << r << " aligned " << aligned;
        }
      }
}

TEST(RoiAlign, TakesTheBorderNearItAndNothingBeyond) {
  Bench b;
  Tensor features = b.floats({1, 1, 2, 2}, {1, 1, 1, 1});
  // A bin left of the field, one near its border; a point each.
  Tensor rois = b.floats({1, 4}, {-2, 0, 0, 1});
  Tensor index = b.ints({1}, {0});
  const Tensor pooled = roiAlignFwd(b.graph, b.prog, features, rois, index,
                                    roiAlignParams(1, 1, 2, false, 1));
  EXPECT_EQ(b.floatsOf(pooled), std::vector<float>({0, 1}));
}

// What the gradient is: <pooled(x), g> is the same as <x, gradient(g)>.
TEST(RoiAlign, GradientIsTheTransposeOfPooling) {
  const std::vector<float> regions{-3, -2, 5,  7,    1, 1, 9,  8,
                                   4,  6,  14, 9.5f, 0, 0, 12, 9};
  constexpr std::size_t kRegions = 4, kRows = 3, kColumns = 2;
  const std::size_t bins = kRegions * kChannels * kRows * kColumns;
  for (const bool aligned : {false, true}) {
    Bench b;
    const roiAlignParams params(2, kRows, kColumns, aligned, 0.75f);
    std::vector<float> x, g;
    for (std::size_t i = 0; i < kBatch * kChannels * kHeight * kWidth; ++i)
      x.push_back(float(i * 37 % 64) / 64);
    for (std::size_t i = 0; i < bins; ++i)
      g.push_back(float(i * 11 % 32) / 32);
    Tensor features = b.floats({kBatch, kChannels, kHeight, kWidth}, x);
    Tensor rois = b.floats({kRegions, 4}, regions);
    Tensor index = b.ints({kRegions}, {1, 0, 1, 1});
    Tensor upper = b.floats({kRegions, kChannels, kRows, kColumns}, g);
    const Tensor pooled =
        roiAlignFwd(b.graph, b.prog, features, rois, index, params);
    const Tensor gradient = roiAlignInputGradient(b.graph, b.prog, features,
                                                  rois, index, upper, params);
    ASSERT_EQ(gradient.shape(), features.shape());
    const std::string down = b.watch(gradient);
    const std::vector<float> up = b.floatsOf(pooled);
    const auto dx = b.read<float>(down, x.size());
    double above = 0, below = 0;
    for (std::size_t i = 0; i < bins; ++i)
      above += double(up[i]) * g[i];
    for (std::size_t i = 0; i < x.size(); ++i)
      below += double(dx[i]) * x[i];
    EXPECT_GT(above, 1);
    EXPECT_NEAR(above, below, 1e-4);
  }
}

TEST(RoiAlign, ARegionOfNoItemIsNaNAndHasNoGradient) {
  Bench b;
  Tensor features = b.floats({1, 1, 2, 2}, {1, 2, 3, 4});
  Tensor rois = b.floats({1, 4}, {0, 0, 1, 1});
  Tensor index = b.ints({1}, {1}), upper = b.floats({1, 1, 1, 1}, {1});
  const roiAlignParams params(1, 1, 1, false, 1);
  const Tensor pooled =
      roiAlignFwd(b.graph, b.prog, features, rois, index, params);
  const std::string down = b.watch(roiAlignInputGradient(
      b.graph, b.prog, features, rois, index, upper, params));
  EXPECT_TRUE(std::isnan(b.floatsOf(pooled)[0]));
  EXPECT_EQ(b.read<float>(down, 4), std::vector<float>(4));
}

TEST(RoiAlign, RefusesOtherShapesAndParameters) {
  Bench b;
  Tensor features = b.variable(FLOAT, {1, 2, 4, 4});
  Tensor rois = b.variable(FLOAT, {3, 4}), index = b.variable(INT, {3});
  Tensor upper = b.variable(FLOAT, {3, 2, 2, 2});
  Tensor short_ = b.variable(INT, {2}), flat = b.variable(FLOAT, {12});
  const roiAlignParams good(1, 2, 2, false, 1);
  const auto call = [&](Tensor &f, Tensor &r, Tensor &i,
                        const roiAlignParams &p) {
    roiAlignFwd(b.graph, b.prog, f, r, i, p);
  };
  EXPECT_NO_THROW(call(features, rois, index, good));
  EXPECT_THROW(call(flat, rois, index, good), poplibs_error);
  EXPECT_THROW(call(features, flat, index, good), poplibs_error);
  EXPECT_THROW(call(features, rois, short_, good), poplibs_error);
  EXPECT_THROW(call(features, rois, flat, good), poplibs_error);
  EXPECT_THROW(call(features, rois, index, {0, 2, 2, false, 1}), poplibs_error);
  EXPECT_THROW(call(features, rois, index, {1, 2, 2, false, 0}), poplibs_error);
  EXPECT_THROW(roiAlignInputGradient(b.graph, b.prog, features, rois, index,
                                     features, good),
               poplibs_error);
}

} // namespace
