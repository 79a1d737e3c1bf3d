// PNG decoded by libpng, which shares no code with our encoder.
#pragma once

#include <cstdint>
#include <png.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::tests {

struct DecodedPng {
  std::uint32_t width;
  std::uint32_t height;
  int channels;
  std::vector<std::uint8_t> pixels;
};

inline DecodedPng decodePng(const std::string &bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0)
    throw std::runtime_error(std::string("libpng: ") + image.message);
  // Eight bits per channel as stored, no conversion.
  image.format &= PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA;
  DecodedPng result{image.width, image.height,
                    static_cast<int>(PNG_IMAGE_PIXEL_CHANNELS(image.format)),
                    std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
  if (png_image_finish_read(&image, nullptr, result.pixels.data(), 0,
                            nullptr) == 0)
    throw std::runtime_error(std::string("libpng: ") + image.message);
  return result;
}

} // namespace popscope::tests
