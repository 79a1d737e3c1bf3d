#include "host/pictures/canvas.hpp"
#include "host/pictures/confusion_matrix_picture.hpp"
#include "host/pictures/filter_grid.hpp"
#include "tests/host/pictures/pixels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using tests::at;
using tests::colorsOf;
using tests::Pixel;

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

TEST(Canvas, BoldTextHasMoreInkAndAHaloHidesWhatIsBehind) {
  const auto inkOf = [](const TextStyle &style, const Color &paper) {
    Canvas canvas(60, 40);
    canvas.fill({0, 0, 60, 40}, paper);
    canvas.text(30, 20, "8", style);
    const summary::Image image = canvas.image();
    std::array<unsigned, 2> counts{}; // of black and of white pixels
    for (std::size_t y = 0; y < 40; ++y)
      for (std::size_t x = 0; x < 60; ++x) {
        counts[0] += at(image, x, y) == Pixel{0, 0, 0};
        counts[1] += at(image, x, y) == Pixel{255, 255, 255};
      }
    return counts;
  };
  TextStyle style;
  style.size = 24.0;
  const Color red{1.0, 0.0, 0.0};
  const auto plain = inkOf(style, red);
  EXPECT_EQ(plain[1], 0u);
  style.halo = 2.0;
  EXPECT_GT(inkOf(style, red)[1], 50u);
  style.weight = Weight::bold;
  EXPECT_GT(inkOf(style, red)[0], plain[0]);
}

TEST(Canvas, FrameAroundAnAreaLeavesItsPixels) {
  Canvas canvas(8, 8);
  canvas.frameAround({3, 3, 2, 2}, kBlack, 2.0);
  const summary::Image image = canvas.image();
  EXPECT_EQ(at(image, 3, 3), (Pixel{255, 255, 255}));
  EXPECT_EQ(at(image, 2, 3), (Pixel{0, 0, 0}));
  EXPECT_EQ(at(image, 1, 1), (Pixel{0, 0, 0}));
  EXPECT_EQ(at(image, 0, 3), (Pixel{255, 255, 255}));
  EXPECT_EQ(at(image, 6, 6), (Pixel{0, 0, 0}));
}

TEST(Canvas, PictureIsCopiedPixelForPixel) {
  Canvas canvas(4, 4);
  canvas.picture(1, 2, {2, 1, summary::PixelFormat::grey, {10, 200}});
  const summary::Image image = canvas.image();
  EXPECT_EQ(at(image, 1, 2), (Pixel{10, 10, 10}));
  EXPECT_EQ(at(image, 2, 2), (Pixel{200, 200, 200}));
  EXPECT_EQ(at(image, 3, 2), (Pixel{255, 255, 255}));
  EXPECT_EQ(at(image, 1, 3), (Pixel{255, 255, 255}));
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

TEST(FilterGrid, IsWhatNumpysReshapeGives) {
  const auto kernels = tests::references("filters");
  ASSERT_EQ(kernels.size(), 2u);
  for (const auto &item : kernels) {
    const testsupport::ReferenceArray &kernel = item.array("kernel");
    const testsupport::ReferenceArray &grid = item.array("grid");
    const summary::Image image =
        drawFilters({"conv/kernel", kernel.shape, kernel.floats});
    ASSERT_EQ(image.height, grid.shape[0]);
    ASSERT_EQ(image.width, grid.shape[1]);
    EXPECT_EQ(image.pixels, item.list<std::uint8_t>("grid"));
  }
}

TEST(FilterGrid, OutputsOfAnInputChannelFollowEachOther) {
  // Two inputs and two outputs of 1x1: in the order of the values.
  const WeightValues kernel{
      "conv/kernel", {1, 1, 2, 2}, {0.0f, 1.0f, 0.25f, 0.5f}};
  EXPECT_THAT(drawFilters(kernel).pixels, ElementsAre(0, 0, 255, // input 0
                                                      0, 0, 0,   //
                                                      63, 0, 127));
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

// Where the cells are.
constexpr std::size_t kMatrixLeft = 148, kMatrixTop = 56, kMatrixCell = 52;

tests::Area cellAt(std::size_t label, std::size_t answer) {
  return {kMatrixLeft + answer * kMatrixCell, kMatrixTop + label * kMatrixCell,
          kMatrixCell, kMatrixCell};
}

TEST(ConfusionMatrixPicture, ColoursAreMatplotlibsBluesOfTheCounts) {
  const auto matrices = tests::references("confusion");
  ASSERT_EQ(matrices.size(), 1u);
  const auto counts = matrices[0].list<unsigned>("counts");
  const auto colors = matrices[0].list<std::uint8_t>("colors");
  ConfusionMatrix matrix(10);
  for (unsigned cell = 0; cell < 100; ++cell)
    for (unsigned n = 0; n < counts[cell]; ++n)
      matrix.add(cell / 10, cell % 10);
  const summary::Image image =
      drawConfusionMatrix(matrix, std::vector<std::string>(10, "class"));
  const unsigned most = *std::max_element(counts.begin(), counts.end());
  for (std::size_t cell = 0; cell < 100; ++cell) {
    const tests::Area area = cellAt(cell / 10, cell % 10);
    const Pixel expected{colors[3 * cell], colors[3 * cell + 1],
                         colors[3 * cell + 2]};
    EXPECT_EQ(at(image, area.x + 2, area.y + 2), expected);
    EXPECT_EQ(at(image, area.x + 49, area.y + 49), expected);
    const bool isDark = 2 * counts[cell] > most;
    const auto drawn = tests::colorsIn(image, area);
    EXPECT_EQ(drawn.count({255, 255, 255}), isDark ? 1u : 0u) << cell;
    EXPECT_EQ(drawn.count({0, 0, 0}), isDark ? 0u : 1u) << cell;
  }
}

TEST(ConfusionMatrixPicture, BarHasTheColoursAndNumbersOfTheCounts) {
  const auto barOf = [](unsigned count) {
    ConfusionMatrix matrix(10);
    for (unsigned n = 0; n < count; ++n)
      matrix.add(0, 0);
    const summary::Image image =
        drawConfusionMatrix(matrix, std::vector<std::string>(10, "class"));
    const std::size_t left = kMatrixLeft + 10 * kMatrixCell + 10;
    return std::pair(
        tests::colorsIn(image, {left, 0, image.width - left, image.height}),
        image.pixels);
  };
  const auto [colors, pixels] = barOf(7);
  EXPECT_EQ(colors.count({247, 251, 255}), 1u) << "no image";
  EXPECT_EQ(colors.count({8, 48, 107}), 1u) << "seven images";
  EXPECT_EQ(colors.count({0, 0, 0}), 1u) << "numbers";
  EXPECT_NE(pixels, barOf(9).second) << "and others if the counts are others";
}

TEST(ConfusionMatrixPicture, NothingIsCutOff) {
  ConfusionMatrix matrix(10);
  for (unsigned n = 0; n < 200000; ++n)
    matrix.add(9, 9);
  EXPECT_TRUE(tests::hasWhiteMargin(drawConfusionMatrix(
      matrix, {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal",
               "Shirt", "Sneaker", "Bag", "Ankle boot"})));
  EXPECT_TRUE(tests::hasWhiteMargin(
      drawConfusionMatrix(ConfusionMatrix(2), {"coat", "bag"})));
}

TEST(ConfusionMatrixPicture, NamesChangeThePicture) {
  const ConfusionMatrix matrix(2);
  EXPECT_NE(drawConfusionMatrix(matrix, {"coat", "bag"}).pixels,
            drawConfusionMatrix(matrix, {"coat", "shirt"}).pixels);
}

} // namespace
} // namespace popscope::host
