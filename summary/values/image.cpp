#include "summary/values/image.hpp"

#include "summary/png/png.hpp"
#include "summary/values/tensor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace popscope::summary {
namespace {

constexpr std::array<std::uint8_t, 4> kBadPixel{255, 0, 255, 255}; // magenta

// tf.summary.image's rule: full scale is 255.5, truncated.
std::uint8_t toByte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value * 255.5F, 0.0F, 255.0F));
}

PixelFormat withColour(PixelFormat format) {
  switch (format) {
  case PixelFormat::grey:
    return PixelFormat::rgb;
  case PixelFormat::greyAlpha:
    return PixelFormat::rgba;
  default:
    return format;
  }
}

// Channel `channel` of a pixel of format `to`, from a pixel of format `from`.
std::size_t sourceChannel(std::size_t channel, PixelFormat from,
                          PixelFormat to) {
  if (from == to)
    return channel;
  return channel < 3 ? 0 : 1; // grey to all three colours, alpha to alpha
}

} // namespace

Image imageFromFloats(std::uint32_t width, std::uint32_t height,
                      PixelFormat format, Span<const float> values) {
  const std::size_t pixels = std::size_t(width) * height;
  const std::size_t channels = channelsOf(format);
  if (values.size() != pixels * channels)
    throw std::invalid_argument(
        "[summary] an image has width x height x channels values");
  const auto isBad = [](float value) { return !std::isfinite(value); };
  const bool anyBad = std::any_of(values.begin(), values.end(), isBad);
  Image image{width, height, anyBad ? withColour(format) : format, {}};
  const std::size_t outChannels = channelsOf(image.format);
  image.pixels.resize(pixels * outChannels);
  for (std::size_t p = 0; p < pixels; ++p) {
    const float *in = values.data() + p * channels;
    std::uint8_t *out = image.pixels.data() + p * outChannels;
    const bool bad = anyBad && std::any_of(in, in + channels, isBad);
    for (std::size_t c = 0; c < outChannels; ++c)
      out[c] = bad ? kBadPixel[c]
                   : toByte(in[sourceChannel(c, format, image.format)]);
  }
  return image;
}

Value toValue(const ImageView &image) {
  return toValue(std::vector<ImageView>{image});
}

Value toValue(const Image &image) { return toValue(image.view()); }

Value toValue(const std::vector<ImageView> &images) {
  std::vector<EncodedImage> encoded;
  for (const ImageView &image : images)
    encoded.push_back({image.width, image.height, encodePng(image)});
  return toValue(encoded);
}

Value toValue(const std::vector<EncodedImage> &images) {
  if (images.empty())
    throw std::invalid_argument("[summary] an image value needs an image");
  StringTensor tensor{
      {static_cast<std::int64_t>(images.size() + 2)},
      {std::to_string(images[0].width), std::to_string(images[0].height)}};
  for (const EncodedImage &image : images)
    tensor.elements.push_back(image.bytes);
  return toValue(tensor, {"images", {}, {}, {}});
}

} // namespace popscope::summary
