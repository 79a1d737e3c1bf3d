// How fast are checksums and pictures?
#include "benchmarks/support/ratio.hpp"
#include "summary/png/png.hpp"
#include "summary/records/crc32c.hpp"

#include <cstdlib>
#include <png.h>
#include <random>
#include <string>
#include <vector>

using namespace popscope::summary;
using benchmarks::Better;
using benchmarks::Suite;

namespace {

volatile std::uint64_t sinkhole; // keeps results from being optimised away

void checksum(const Suite &suite) {
  if (!suite.wants("events/crc32c"))
    return;
  const std::string bytes(std::size_t(1) << 16, 'x');
  const auto seconds = suite.time({[&] { sinkhole = crc32c(bytes); },
                                   [&] { sinkhole = crc32cByTable(bytes); }});
  const auto size = double(bytes.size());
  suite.report({"events/crc32c", size / seconds[0], size / seconds[1],
                "table look-up, 64 KiB", Better::higher, 20});
}

void append(png_structp png, png_bytep bytes, png_size_t size) {
  static_cast<std::string *>(png_get_io_ptr(png))
      ->append(reinterpret_cast<const char *>(bytes), size);
}

std::string encodeByLibpng(const ImageView &image) {
  std::string out;
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, &out, append, nullptr);
  png_set_IHDR(png, info, image.width, image.height, 8, PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (std::uint32_t y = 0; y < image.height; ++y)
    png_write_row(png, image.pixels + std::size_t(y) * image.width);
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}

// Strokes like those of a handwritten digit: a few soft-edged discs.
std::vector<Image> digits(std::size_t count) {
  std::mt19937 random(3);
  std::vector<Image> images;
  while (images.size() < count) {
    Image image{28, 28, PixelFormat::grey, std::vector<std::uint8_t>(28 * 28)};
    double x = 8 + random() % 12, y = 5 + random() % 4;
    for (int dot = 0; dot < 16; ++dot) {
      for (int py = 0; py < 28; ++py)
        for (int px = 0; px < 28; ++px) {
          const double d2 = (px - x) * (px - x) + (py - y) * (py - y);
          const int ink = int(255 * (2.2 - d2 / 2));
          auto &pixel = image.pixels[std::size_t(py * 28 + px)];
          pixel = std::uint8_t(std::max(int(pixel), std::min(255, ink)));
        }
      x += double(random() % 300) / 100 - 1.5;
      y += 1;
    }
    images.push_back(image);
  }
  return images;
}

// Smooth shading with a little noise.
std::vector<Image> photograph() {
  std::mt19937 random(4);
  Image image{512, 512, PixelFormat::grey, {}};
  for (int y = 0; y < 512; ++y)
    for (int x = 0; x < 512; ++x)
      image.pixels.push_back(
          std::uint8_t((x * 3 + y * 2 + x * y / 256) / 12 + random() % 4));
  return {image};
}

void pictures(const Suite &suite, const std::string &name,
              const std::vector<Image> &images, double speedGoal,
              double sizeGoal) {
  const auto encodeAll = [&images](auto encode) {
    std::size_t bytes = 0;
    for (const Image &image : images)
      bytes += encode(image.view()).size();
    sinkhole = bytes;
    return double(bytes);
  };
  if (suite.wants("events/png-" + name)) {
    const auto seconds = suite.time(
        {[&] { encodeAll(encodePng); }, [&] { encodeAll(encodeByLibpng); }});
    const auto count = double(images.size());
    suite.report({"events/png-" + name, count / seconds[0], count / seconds[1],
                  "libpng, default settings", Better::higher, speedGoal});
  }
  if (suite.wants("events/png-" + name + "-bytes"))
    suite.report({"events/png-" + name + "-bytes", encodeAll(encodePng),
                  encodeAll(encodeByLibpng), "libpng, default settings",
                  Better::lower, sizeGoal});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  checksum(suite);
  pictures(suite, "28x28", digits(200), 3, 1);
  pictures(suite, "512x512", photograph(), 3, 1.2);
}
