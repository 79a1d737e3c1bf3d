// Colours of numbers, against matplotlib's.
#include "host/pictures/color_bar.hpp"
#include "tests/host/pictures/pixels.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;
using tests::at;
using tests::Pixel;

Pixel bytesOf(const Color &color) {
  const auto byte = [](double value) {
    return std::uint8_t(std::lround(value * 255.0));
  };
  return {byte(color.red), byte(color.green), byte(color.blue)};
}

TEST(ColorMap, HasMatplotlibsColoursToTheByte) {
  const auto maps = tests::references("map");
  ASSERT_EQ(maps.size(), 2u);
  for (const auto &item : maps) {
    const ColorMap &map = item.text("name") == "Blues" ? blues() : redToBlue();
    const auto expected = item.list<std::uint8_t>("colors");
    for (std::size_t i = 0; i < 256; ++i)
      EXPECT_EQ(
          bytesOf(map.at((double(i) + 0.5) / 256.0)),
          (Pixel{expected[3 * i], expected[3 * i + 1], expected[3 * i + 2]}))
          << item.text("name") << ' ' << i;
  }
}

TEST(ColorMap, EndsAreThePublishedAnchors) {
  EXPECT_EQ(bytesOf(blues().at(0.0)), (Pixel{247, 251, 255}));
  EXPECT_EQ(bytesOf(blues().at(1.0)), (Pixel{8, 48, 107}));
  EXPECT_EQ(bytesOf(blues().at(7.0)), bytesOf(blues().at(1.0)));
  EXPECT_EQ(bytesOf(redToBlue().at(-INFINITY)), (Pixel{103, 0, 31}));
}

TEST(ColorMap, NanHasAColourThatNoNumberHas) {
  const Pixel none = bytesOf(blues().at(std::nan("")));
  for (double share = 0.0; share < 1.0; share += 1.0 / 512.0) {
    EXPECT_NE(bytesOf(blues().at(share)), none);
    EXPECT_NE(bytesOf(redToBlue().at(share)), none);
  }
}

TEST(ColorScale, TicksAreRoundNumbersBetweenTheEnds) {
  EXPECT_THAT(ticksOf({0.0, 960.0}, 9), ElementsAre(0, 200, 400, 600, 800));
  EXPECT_THAT(ticksOf({3.0, 40.0}, 9),
              ElementsAre(5, 10, 15, 20, 25, 30, 35, 40));
  EXPECT_THAT(ticksOf({-0.27, 0.27}, 11),
              Pointwise(DoubleNear(1e-12), {-0.2, -0.1, 0.0, 0.1, 0.2}));
  EXPECT_THAT(ticksOf({0.0, 2.0}, 9, 1.0), ElementsAre(0, 1, 2))
      << "counts are whole";
  EXPECT_THAT(ticksOf({5.0, 5.0}, 9), ElementsAre(5));
}

TEST(ColorScale, SharesGoFromTheLowEndToTheHighOne) {
  const ColorScale scale{-2.0, 2.0};
  EXPECT_EQ(scale.share(-2.0), 0.0);
  EXPECT_EQ(scale.share(1.0), 0.75);
  EXPECT_TRUE(std::isnan(scale.share(std::nan(""))));
  EXPECT_EQ((ColorScale{3.0, 3.0}).share(3.0), 0.0);
}

TEST(ColorBar, ShowsTheWholeMapWithItsHighEndOnTop) {
  Canvas canvas(60, 300);
  drawColorBar(canvas, {10, 20, 8, 256}, blues(), {0.0, 1.0}, {0.0, 1.0});
  const summary::Image image = canvas.image();
  for (std::size_t i = 0; i < 256; ++i)
    EXPECT_EQ(at(image, 13, 20 + i),
              bytesOf(blues().at((255.5 - double(i)) / 256.0)));
  EXPECT_EQ(at(image, 13, 18), (Pixel{255, 255, 255}));
  const auto hasTextAt = [&](std::size_t y) {
    return tests::colorsIn(image, {25, y - 5, 30, 10}).count({0, 0, 0}) == 1;
  };
  EXPECT_TRUE(hasTextAt(20));
  EXPECT_TRUE(hasTextAt(276));
  EXPECT_FALSE(hasTextAt(150));
}

} // namespace
} // namespace popscope::host
