#include "host/pictures/color_map.hpp"
#include "host/pictures/model_output_picture.hpp"
#include "tests/host/pictures/pixels.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using tests::at;
using tests::Pixel;
using Geometry = ModelOutputGeometry;

constexpr Pixel kWhite{255, 255, 255}, kGreen{0, 128, 0}, kRed{255, 0, 0};
const Pixel kMostNegative{103, 0, 31}, kZero{246, 246, 246},
    kMostPositive{5, 48, 97}; // of matplotlib's RdBu

tests::Area cellAt(std::size_t row, std::size_t column) {
  return {Geometry::kLeft + column * Geometry::kCellWidth,
          Geometry::kTop + row * Geometry::kCellHeight, Geometry::kCellWidth,
          Geometry::kCellHeight};
}

tests::Area labelOf(std::size_t row) {
  const tests::Area cell = cellAt(row, 0);
  return {30, cell.y, Geometry::kLeft - 32, cell.height};
}

// Two images of three classes, the second answered wrongly.
Predictions twoAnswers() {
  return {3,
          {0.1f, 0.8f, 0.1f, 0.7f, 0.1f, 0.2f},
          {-4.0f, 8.0f, 0.0f, -8.0f, 2.0f, 0.0f}};
}
const std::vector<unsigned> kLabels{1, 2};

// As many as a training shows, of ten classes, all but one answered rightly.
constexpr std::size_t kMany = 35;
Predictions manyAnswers() {
  Predictions result{10, std::vector<float>(kMany * 10),
                     std::vector<float>(kMany * 10, -25.5f)};
  for (std::size_t i = 0; i < kMany; ++i) {
    result.probabilities[i * 10 + i % 10] = 1.0f;
    result.logits[i * 10 + i % 10] = 25.5f;
  }
  return result;
}
std::vector<unsigned> manyLabels() {
  std::vector<unsigned> labels;
  for (unsigned i = 0; i < kMany; ++i)
    labels.push_back(i % 10);
  labels[7] = 8;
  return labels;
}

TEST(Logits, ColoursGoFromRedOverWhiteAtZeroToBlue) {
  const summary::Image image = drawLogits(twoAnswers(), kLabels, 35);
  const auto colorOf = [&](std::size_t row, std::size_t column) {
    const auto colors = tests::colorsIn(image, cellAt(row, column));
    EXPECT_EQ(colors.size(), 1u) << "nothing is drawn on a cell";
    return *colors.begin();
  };
  EXPECT_EQ(colorOf(0, 1), kMostPositive);
  EXPECT_EQ(colorOf(1, 0), kMostNegative);
  EXPECT_EQ(colorOf(0, 2), kZero);
  EXPECT_EQ(colorOf(0, 0), (Pixel{229, 131, 104})) << "a quarter of the map";
}

TEST(Logits, RowsHaveTrueLabelsAndThoseOfWrongAnswersAreRed) {
  const summary::Image image = drawLogits(twoAnswers(), kLabels, 35);
  EXPECT_EQ(tests::colorsIn(image, labelOf(0)).count({0, 0, 0}), 1u);
  EXPECT_EQ(tests::colorsIn(image, labelOf(0)).count(kRed), 0u);
  EXPECT_EQ(tests::colorsIn(image, labelOf(1)).count(kRed), 1u);
  EXPECT_NE(image.pixels, drawLogits(twoAnswers(), {1, 1}, 35).pixels)
      << "labels are drawn";
}

TEST(Logits, HaveABarWithTheSameScale) {
  const summary::Image image = drawLogits(manyAnswers(), manyLabels(), kMany);
  const tests::Area last = cellAt(kMany - 1, 9);
  const std::size_t right = last.x + last.width + 10;
  const auto colors =
      tests::colorsIn(image, {right, 0, image.width - right, image.height});
  EXPECT_EQ(colors.count(kMostNegative), 1u);
  EXPECT_EQ(colors.count(kMostPositive), 1u);
  EXPECT_EQ(colors.count({0, 0, 0}), 1u) << "with numbers";
  EXPECT_TRUE(tests::hasWhiteMargin(image));
}

TEST(Logits, ThatAreNotFiniteAreSeenAndDoNotSpoilTheRest) {
  Predictions predictions = twoAnswers();
  predictions.logits[0] = std::nanf("");
  predictions.logits[3] = -INFINITY;
  const summary::Image image = drawLogits(predictions, kLabels, 35);
  EXPECT_EQ(at(image, cellAt(0, 0).x + 3, cellAt(0, 0).y + 3),
            (Pixel{255, 0, 255}));
  EXPECT_EQ(at(image, cellAt(1, 0).x + 3, cellAt(1, 0).y + 3), kMostNegative);
  EXPECT_EQ(at(image, cellAt(0, 1).x + 3, cellAt(0, 1).y + 3), kMostPositive);
}

TEST(Answers, HaveOneCellPerRowGreenIfRightAndRedIfNot) {
  const summary::Image image = drawAnswers(twoAnswers(), kLabels, 35);
  const auto has = [&](std::size_t row, std::size_t column, Pixel color) {
    return tests::colorsIn(image, cellAt(row, column)).count(color) == 1;
  };
  EXPECT_TRUE(has(0, 1, kGreen));
  EXPECT_TRUE(has(0, 1, kWhite)) << "with its number";
  EXPECT_TRUE(has(1, 0, kRed));
  EXPECT_TRUE(has(1, 2, kGreen)) << "the frame of the true label";
  const tests::Area missed = cellAt(1, 2);
  EXPECT_NE(at(image, missed.x + 10, missed.y + 9), kGreen)
      << "which is hollow";
  for (const auto &[row, column] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 0}, {0, 2}, {1, 1}})
    EXPECT_EQ(tests::colorsIn(image, cellAt(row, column)).size(), 1u);
  EXPECT_TRUE(
      tests::hasWhiteMargin(drawAnswers(manyAnswers(), manyLabels(), kMany)));
}

TEST(ModelOutput, BothPicturesHaveOneSizeThatGrowsWithTheImages) {
  const summary::Image logits = drawLogits(twoAnswers(), kLabels, 35);
  const summary::Image answers = drawAnswers(twoAnswers(), kLabels, 35);
  const summary::Image one = drawLogits(twoAnswers(), kLabels, 1);
  EXPECT_EQ(logits.width, answers.width);
  EXPECT_EQ(logits.height, answers.height);
  EXPECT_EQ(logits.height, one.height + Geometry::kCellHeight);
}

} // namespace
} // namespace popscope::host
