// Sheets of digits; the images against matplotlib's.
#include "host/pictures/digit_sheet.hpp"
#include "host/pictures/smooth_image.hpp"
#include "tests/host/pictures/pixels.hpp"

#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using tests::at;
using tests::Pixel;

constexpr Pixel kWhite{255, 255, 255}, kGreen{0, 128, 0}, kRed{255, 0, 0};

Dataset setOf(std::vector<std::uint8_t> pixels, std::size_t side,
              std::vector<unsigned> labels) {
  Dataset set;
  set.rows = set.columns = side;
  set.pixels = std::move(pixels);
  set.labels = std::move(labels);
  return set;
}

// Empty images.
Dataset blankImages(std::vector<unsigned> labels) {
  const std::size_t count = labels.size();
  return setOf(std::vector<std::uint8_t>(64 * count), 8, std::move(labels));
}

tests::Area imageAt(std::size_t row, std::size_t column) {
  return {SheetGeometry::start(column), SheetGeometry::start(row),
          SheetGeometry::kImageSide, SheetGeometry::kImageSide};
}

// The image and the gap around.
tests::Area cellAt(std::size_t row, std::size_t column) {
  const tests::Area image = imageAt(row, column);
  constexpr unsigned kGap = SheetGeometry::kGap;
  return {image.x - kGap, image.y - kGap, image.width + 2 * kGap,
          image.height + 2 * kGap};
}

TEST(SmoothImage, IsMatplotlibsGaussianInterpolation) {
  const auto images = tests::references("image");
  ASSERT_FALSE(images.empty());
  for (const auto &item : images) {
    const Dataset set = setOf(item.list<std::uint8_t>("pixels"), 8, {0});
    const summary::Image drawn =
        smoothDarkOnWhite(set, 0, std::uint32_t(item.number("side")));
    const std::vector<std::int32_t> &expected = item.array("grey").ints;
    ASSERT_EQ(drawn.pixels.size(), expected.size());
    // Matplotlib rounds its weights to 14 bits.
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(int(drawn.pixels[i]), expected[i], 3) << "pixel " << i;
  }
}

TEST(SmoothImage, OfOneColourIsWhite) {
  const summary::Image drawn =
      smoothDarkOnWhite(setOf(std::vector<std::uint8_t>(64, 7), 8, {0}), 0, 48);
  EXPECT_EQ(drawn.pixels, std::vector<std::uint8_t>(48 * 48, 255));
}

TEST(DigitSheet, ImagesStandRowByRowInTheirOrder) {
  // Image i has one black pixel in column i.
  Dataset set = blankImages({0, 1, 2, 3, 4, 5});
  for (std::size_t i = 0; i < 6; ++i)
    set.pixels[64 * i + i] = 16;
  const summary::Image sheet = drawDigitSheet(set, 2, 3);
  EXPECT_EQ(sheet.width, SheetGeometry::start(3));
  EXPECT_EQ(sheet.height, SheetGeometry::start(2));
  EXPECT_TRUE(tests::hasWhiteMargin(sheet));
  for (std::size_t i = 0; i < 6; ++i) {
    const tests::Area image = imageAt(i / 3, i % 3);
    std::size_t darkest = 0;
    for (std::size_t column = 1; column < 8; ++column)
      if (at(sheet, image.x + 6 * column + 3, image.y + 3) <
          at(sheet, image.x + 6 * darkest + 3, image.y + 3))
        darkest = column;
    EXPECT_EQ(darkest, i);
  }
}

TEST(DigitSheet, WithoutPredictionsHasTheTrueLabelsInGreen) {
  const summary::Image ones = drawDigitSheet(blankImages({1, 1}), 1, 2);
  const summary::Image oneAndTwo = drawDigitSheet(blankImages({1, 2}), 1, 2);
  for (std::size_t column = 0; column < 2; ++column) {
    const auto colors = tests::colorsIn(ones, imageAt(0, column));
    EXPECT_EQ(colors.count(kGreen), 1u);
    EXPECT_EQ(colors.count(kRed), 0u);
  }
  EXPECT_NE(ones.pixels, oneAndTwo.pixels);
}

TEST(DigitSheet, LabelIsTallEnoughForACardOfLessThanHalfTheSize) {
  const summary::Image sheet = drawDigitSheet(blankImages({1}), 1, 1);
  const tests::Area image = imageAt(0, 0);
  std::size_t rows = 0;
  for (std::size_t y = image.y; y < image.y + image.height; ++y)
    rows += tests::colorsIn(sheet, {image.x, y, image.width, 1}).count(kGreen);
  EXPECT_GE(rows, 15u);
  EXPECT_EQ(tests::colorsIn(sheet, {image.x + 24, image.y, 24, 48}).size(), 1u)
      << "and stays in the left half";
  EXPECT_EQ(tests::colorsIn(sheet, {image.x, image.y, 48, 20}).size(), 1u)
      << "and below the middle";
}

TEST(DigitSheet, WrongAnswersAreRedAndInARedFrameAndRightOnesAreNot) {
  const Dataset set = blankImages({1, 1});
  const Predictions predictions{2, {0.0f, 1.0f, 1.0f, 0.0f}};
  const summary::Image sheet = drawDigitSheet(set, 1, 2, &predictions);
  const auto right = tests::colorsIn(sheet, imageAt(0, 0));
  EXPECT_EQ(right.count(kGreen), 1u);
  EXPECT_EQ(tests::colorsIn(sheet, {0, 0, imageAt(0, 1).x - 6, sheet.height})
                .count(kRed),
            0u);
  const auto wrong = tests::colorsIn(sheet, imageAt(0, 1));
  EXPECT_EQ(wrong.count(kRed), 1u);
  EXPECT_EQ(tests::colorsIn(sheet, cellAt(0, 1)).count(kGreen), 0u);
  const tests::Area image = imageAt(0, 1);
  for (unsigned distance = 1; distance <= 4; ++distance) {
    EXPECT_EQ(at(sheet, image.x - distance, image.y + 20), kRed);
    EXPECT_EQ(at(sheet, image.x + 20, image.y - distance), kRed);
    EXPECT_EQ(at(sheet, image.x + 47 + distance, image.y + 20), kRed);
    EXPECT_EQ(at(sheet, image.x + 20, image.y + 47 + distance), kRed);
  }
  EXPECT_EQ(at(sheet, image.x - 7, image.y + 20), kWhite);
}

TEST(DigitSheet, AnswerIsTheOneOfThePrediction) {
  const Dataset set = blankImages({0});
  const Predictions two{3, {0.1f, 0.2f, 0.7f}}, one{3, {0.1f, 0.7f, 0.2f}};
  EXPECT_NE(drawDigitSheet(set, 1, 1, &two).pixels,
            drawDigitSheet(set, 1, 1, &one).pixels);
  const Dataset labelledTwo = blankImages({2});
  EXPECT_EQ(drawDigitSheet(labelledTwo, 1, 1, &two).pixels,
            drawDigitSheet(labelledTwo, 1, 1).pixels)
      << "a right answer looks like the label";
}

} // namespace
} // namespace popscope::host
