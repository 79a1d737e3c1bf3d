// Pictures, stored as PNG.
#pragma once

#include "summary/span.hpp"
#include "summary/values/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace popscope::summary {

// The value is the number of bytes per pixel.
enum class PixelFormat : std::uint8_t { grey = 1, greyAlpha, rgb, rgba };

constexpr std::size_t channelsOf(PixelFormat format) {
  return static_cast<std::size_t>(format);
}

// A view of pixels: rows from the top, one byte per channel, no padding.
struct ImageView {
  std::uint32_t width;
  std::uint32_t height;
  PixelFormat format;
  const std::uint8_t *pixels;
};

// A picture that owns its pixels.
struct Image {
  std::uint32_t width;
  std::uint32_t height;
  PixelFormat format;
  std::vector<std::uint8_t> pixels;

  ImageView view() const { return {width, height, format, pixels.data()}; }
};

// A picture from floats in 0..1, values outside being clipped. A pixel with a
// NaN or infinite channel is painted in a colour that grey pictures do not
// have (and which makes a grey picture RGB): a bad value is to be seen.
// Throws std::invalid_argument if the sizes do not match.
Image imageFromFloats(std::uint32_t width, std::uint32_t height,
                      PixelFormat format, Span<const float> values);

// A picture that is encoded already: PNG, JPEG, GIF or BMP.
struct EncodedImage {
  std::uint32_t width;
  std::uint32_t height;
  std::string bytes;
};

Value toValue(const ImageView &image);
Value toValue(const Image &image);
// Several pictures of one step, shown side by side; they should share a size.
Value toValue(const std::vector<ImageView> &images);
Value toValue(const std::vector<EncodedImage> &images);

} // namespace popscope::summary
