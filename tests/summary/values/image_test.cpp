#include "summary/png/png.hpp"
#include "summary/proto/event.pb.h"
#include "summary/values/image.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/png_decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace popscope::summary {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

enum class Content { flat, gradient, noise };

Image makeImage(std::uint32_t width, std::uint32_t height, PixelFormat format,
                Content content) {
  std::mt19937 random(width * 31 + height);
  Image image{width, height, format, {}};
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      for (std::size_t c = 0; c < channelsOf(format); ++c)
        image.pixels.push_back(static_cast<std::uint8_t>(
            content == Content::flat       ? 200 * c
            : content == Content::gradient ? x * 3 + y * 5 + c * 40
                                           : random()));
  return image;
}

TEST(Png, LibpngDecodesEveryFormatSizeAndFilter) {
  for (const PixelFormat format : {PixelFormat::grey, PixelFormat::greyAlpha,
                                   PixelFormat::rgb, PixelFormat::rgba})
    for (const auto &[width, height] :
         {std::pair(1u, 1u), std::pair(1u, 9u), std::pair(9u, 1u),
          std::pair(28u, 28u), std::pair(301u, 97u)})
      for (const Content content :
           {Content::flat, Content::gradient, Content::noise}) {
        const Image image = makeImage(width, height, format, content);
        const auto decoded = tests::decodePng(encodePng(image.view()));
        EXPECT_EQ(decoded.width, width);
        EXPECT_EQ(decoded.height, height);
        EXPECT_EQ(decoded.channels, int(channelsOf(format)));
        ASSERT_EQ(decoded.pixels, image.pixels)
            << width << 'x' << height << ' ' << int(format);
      }
}

TEST(Png, HeaderAndTrailerHaveTheBytesOfTheSpecification) {
  const std::uint8_t pixel[3] = {1, 2, 3};
  const std::string png = encodePng({1, 1, PixelFormat::rgb, pixel});
  EXPECT_EQ(tests::toHex(png.substr(0, 33)),
            "89504e470d0a1a0a"
            "0000000d49484452000000010000000108020000009077"
            "53de");
  EXPECT_EQ(tests::toHex(png.substr(png.size() - 12)),
            "0000000049454e44ae426082");
}

TEST(Png, SmoothPicturesAreFiltered) {
  const Image image = makeImage(256, 256, PixelFormat::grey, Content::gradient);
  EXPECT_LT(encodePng(image.view()).size(), image.pixels.size() / 20);
}

TEST(Png, RefusesAPictureWithoutArea) {
  EXPECT_THROW(encodePng({0, 5, PixelFormat::grey, nullptr}),
               std::invalid_argument);
  EXPECT_THROW(encodePng({5, 0, PixelFormat::grey, nullptr}),
               std::invalid_argument);
}

TEST(Image, FloatsAreScaledAsTensorFlowDoes) {
  const std::vector<float> values{-1, 0, 0.25F, 0.5F, 1, 2};
  const Image image = imageFromFloats(6, 1, PixelFormat::grey, values);
  EXPECT_EQ(image.format, PixelFormat::grey);
  EXPECT_THAT(image.pixels, ElementsAre(0, 0, 63, 127, 255, 255));
}

TEST(Image, BadValuesAreSeen) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> grey{0.5F, nan};
  const Image fromGrey = imageFromFloats(2, 1, PixelFormat::grey, grey);
  EXPECT_EQ(fromGrey.format, PixelFormat::rgb);
  EXPECT_THAT(fromGrey.pixels, ElementsAre(127, 127, 127, 255, 0, 255));

  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> greyAlpha{0.5F, 0, inf, 1};
  EXPECT_THAT(imageFromFloats(2, 1, PixelFormat::greyAlpha, greyAlpha).pixels,
              ElementsAre(127, 127, 127, 0, 255, 0, 255, 255));

  const std::vector<float> rgb{0, 1, 0, 1, -inf, 0};
  EXPECT_THAT(imageFromFloats(2, 1, PixelFormat::rgb, rgb).pixels,
              ElementsAre(0, 255, 0, 255, 0, 255));
}

TEST(Image, RefusesAWrongNumberOfValues) {
  EXPECT_THROW(imageFromFloats(2, 2, PixelFormat::rgb, std::vector<float>(4)),
               std::invalid_argument);
}

TEST(Image, SeveralPicturesMakeOneValue) {
  const Image a = makeImage(4, 3, PixelFormat::grey, Content::noise);
  const Image b = makeImage(4, 3, PixelFormat::rgb, Content::noise);
  const Value value = toValue(std::vector<ImageView>{a.view(), b.view()});
  EXPECT_EQ(value.metadata.plugin, "images");
  proto::Summary::Value message;
  ASSERT_TRUE(message.ParseFromString(value.body));
  const auto &tensor = message.tensor();
  EXPECT_EQ(tensor.dtype(), proto::DT_STRING);
  ASSERT_EQ(tensor.tensor_shape().dim_size(), 1);
  EXPECT_EQ(tensor.tensor_shape().dim(0).size(), 4);
  ASSERT_EQ(tensor.string_val_size(), 4);
  EXPECT_EQ(tensor.string_val(0), "4");
  EXPECT_EQ(tensor.string_val(1), "3");
  EXPECT_EQ(tests::decodePng(tensor.string_val(2)).pixels, a.pixels);
  EXPECT_EQ(tests::decodePng(tensor.string_val(3)).pixels, b.pixels);
  EXPECT_THROW(toValue(std::vector<ImageView>{}), std::invalid_argument);
}

} // namespace
} // namespace popscope::summary
