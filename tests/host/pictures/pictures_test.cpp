#include "host/pictures/canvas.hpp"
#include "host/pictures/confusion_matrix_picture.hpp"
#include "host/pictures/digit_sheet.hpp"
#include "host/pictures/filter_grid.hpp"

#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using Pixel = std::array<std::uint8_t, 3>;

Pixel at(const summary::Image &image, std::size_t x, std::size_t y) {
  const std::uint8_t *p = image.pixels.data() + 3 * (y * image.width + x);
  return {p[0], p[1], p[2]};
}

std::set<Pixel> colorsOf(const summary::Image &image) {
  std::set<Pixel> colors;
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x)
      colors.insert(at(image, x, y));
  return colors;
}

TEST(Canvas, FillsExactlyTheArea) {
  Canvas canvas(4, 3);
  canvas.fill({1, 1, 2, 1}, {1.0, 0.0, 0.0});
  const summary::Image image = canvas.image();
  EXPECT_EQ(at(image, 1, 1), (Pixel{255, 0, 0}));
  EXPECT_EQ(at(image, 2, 1), (Pixel{255, 0, 0}));
  EXPECT_EQ(at(image, 0, 1), (Pixel{255, 255, 255}));
  EXPECT_EQ(at(image, 1, 2), (Pixel{255, 255, 255}));
}

TEST(Canvas, TextIsDrawnInItsColour) {
  Canvas canvas(60, 30);
  TextStyle style;
  style.size = 24.0;
  style.color = {0.0, 0.0, 1.0};
  canvas.text(30, 15, "M", style);
  EXPECT_EQ(colorsOf(canvas.image()).count({0, 0, 255}), 1u);
}

TEST(Canvas, NanHasAColourOfItsOwn) {
  const Color none = shadeOfBlue(std::nan(""));
  EXPECT_NE(none.red, none.green);
  EXPECT_TRUE(isDark(shadeOfBlue(1.0)));
  EXPECT_FALSE(isDark(shadeOfBlue(0.0)));
}

TEST(FilterGrid, TilesHaveOnePixelGapsAndRunFromBlackToWhite) {
  // Three 1x2 filters in a 2x2 grid.
  const WeightValues kernel{
      "conv/kernel", {1, 2, 1, 3}, {-1.0f, 0.0f, 1.0f, -1.0f, 0.0f, 1.0f}};
  const summary::Image image = drawFilters(kernel);
  EXPECT_EQ(image.width, 5u);
  EXPECT_EQ(image.height, 3u);
  EXPECT_THAT(image.pixels,
              ElementsAre(0, 0, 0, 127, 127, // two filters and a gap
                          0, 0, 0, 0, 0,     // a gap
                          255, 255, 0, 0, 0));
}

TEST(FilterGrid, BadValuesAreSeenAndDoNotSpoilTheRest) {
  const WeightValues kernel{
      "conv/kernel", {1, 1, 1, 4}, {0.0f, std::nanf(""), INFINITY, 2.0f}};
  const summary::Image image = drawFilters(kernel);
  ASSERT_EQ(image.format, summary::PixelFormat::rgb);
  EXPECT_EQ(at(image, 2, 2), (Pixel{255, 255, 255}));
  EXPECT_EQ(at(image, 0, 0), (Pixel{0, 0, 0}));
  const Pixel bad = at(image, 2, 0);
  EXPECT_NE(bad[0], bad[1]);
}

TEST(FilterGrid, DenseKernelIsRefused) {
  EXPECT_THROW(drawFilters({"dense/kernel", {1, 1}, {0.0f}}),
               std::invalid_argument);
}

TEST(ConfusionMatrixPicture, DarkCellsHaveWhiteText) {
  ConfusionMatrix matrix(2);
  matrix.add(0, 0);
  matrix.add(1, 1);
  const summary::Image image = drawConfusionMatrix(matrix, {"coat", "bag"});
  // The cell of a class that is always right, and one of confusion.
  const Pixel dark = at(image, 125, 55), light = at(image, 177, 55);
  EXPECT_LT(dark[0], 50);
  EXPECT_EQ(light, (Pixel{255, 255, 255}));
  bool white = false;
  for (std::size_t y = 60; y < 95; ++y)
    for (std::size_t x = 125; x < 170; ++x)
      white = white || at(image, x, y) == Pixel{255, 255, 255};
  EXPECT_TRUE(white);
}

TEST(ConfusionMatrixPicture, NamesChangeThePicture) {
  const ConfusionMatrix matrix(2);
  EXPECT_NE(drawConfusionMatrix(matrix, {"coat", "bag"}).pixels,
            drawConfusionMatrix(matrix, {"coat", "shirt"}).pixels);
}

TEST(DigitSheet, AnswersAreGreenOrRed) {
  Dataset set;
  set.rows = set.columns = 1;
  set.pixels = {0};
  set.labels = {1};
  const Predictions right{2, {0.0f, 1.0f}}, wrong{2, {1.0f, 0.0f}};
  const auto reddest = [&](const Predictions *predictions) {
    int most = -255;
    for (const Pixel &p : colorsOf(drawDigitSheet(set, 1, 1, predictions)))
      most = std::max(most, int(p[0]) - int(p[1]));
    return most;
  };
  EXPECT_GT(reddest(&wrong), 150);
  EXPECT_LE(reddest(&right), 0);
  EXPECT_EQ(colorsOf(drawDigitSheet(set, 1, 1)).size(), 2u)
      << "no text: paper and image only";
}

TEST(ModelOutput, AnswerIsMarkedAndLikelihoodIsDark) {
  const Predictions predictions{2, {1.0f, 0.0f}};
  const summary::Image image = drawModelOutput(predictions, 35);
  EXPECT_LT(at(image, 50, 50)[0], 50) << "likely";
  EXPECT_EQ(at(image, 70, 50), (Pixel{255, 255, 255})) << "unlikely";
  EXPECT_GT(int(at(image, 41, 50)[0]) - int(at(image, 41, 50)[1]), 150)
      << "marked";
}

} // namespace
} // namespace popscope::host
