#include "host/pictures/color_map.hpp"
#include "host/pictures/heat_map_picture.hpp"
#include "tests/host/pictures/pixels.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace popscope::host {
namespace {

using tests::colorsOf;
using tests::Pixel;

Pixel pixelOf(const Color &color) {
  const auto byte = [](double part) {
    return std::uint8_t(std::lround(part * 255.0));
  };
  return {byte(color.red), byte(color.green), byte(color.blue)};
}

HeatMapValues mapOf(std::vector<float> values) {
  HeatMapValues map;
  map.title = "gradients";
  map.rows = {"conv_0"};
  map.columns = values.size();
  map.values = std::move(values);
  map.isLogarithmic = true;
  return map;
}

constexpr Pixel kRed{230, 0, 38};

TEST(HeatMapPicture, PaintsTheSmallestAndTheLargestWithTheEndsOfTheColours) {
  const auto colors = colorsOf(drawHeatMap(mapOf({1e-3f, 1e3f})));
  EXPECT_EQ(colors.count(pixelOf(viridis().at(0))), 1u);
  EXPECT_EQ(colors.count(pixelOf(viridis().at(1))), 1u);
}

TEST(HeatMapPicture, WhatIsNotFiniteStandsOut) {
  const float infinite = std::numeric_limits<float>::infinity();
  const auto redIn = [](const summary::Image &image) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < image.pixels.size(); i += 3)
      count += Pixel{image.pixels[i], image.pixels[i + 1],
                     image.pixels[i + 2]} == kRed;
    return count;
  };
  const std::size_t key = redIn(drawHeatMap(mapOf({1, 2}))); // of the colours
  EXPECT_GT(key, 0u);
  EXPECT_GT(redIn(drawHeatMap(mapOf({1, infinite}))), key + 400);
}

TEST(HeatMapPicture, ThereMayBeNoNumberAtAll) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_GT(drawHeatMap(mapOf({none, 0})).width, 0u);
}

} // namespace
} // namespace popscope::host
