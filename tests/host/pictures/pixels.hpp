// The pixels of a drawn picture, for comparing.
#pragma once

#include "summary/values/image.hpp"
#include "tests/support/reference_file.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

namespace popscope::host::tests {

using Pixel = std::array<std::uint8_t, 3>;

// A rectangle of pixels: x and y of its first, and how many.
struct Area {
  std::size_t x, y, width, height;
};

inline Pixel at(const summary::Image &image, std::size_t x, std::size_t y) {
  const std::uint8_t *p = image.pixels.data() + 3 * (y * image.width + x);
  return {p[0], p[1], p[2]};
}

inline std::set<Pixel> colorsIn(const summary::Image &image, const Area &area) {
  std::set<Pixel> colors;
  for (std::size_t y = area.y; y < area.y + area.height; ++y)
    for (std::size_t x = area.x; x < area.x + area.width; ++x)
      colors.insert(at(image, x, y));
  return colors;
}

inline std::set<Pixel> colorsOf(const summary::Image &image) {
  return colorsIn(image, {0, 0, image.width, image.height});
}

// The rows and columns of a picture's margin: nothing may touch it.
inline bool hasWhiteMargin(const summary::Image &image) {
  const std::size_t right = image.width - 1, bottom = image.height - 1;
  std::set<Pixel> colors;
  for (const Area &edge :
       {Area{0, 0, image.width, 1}, Area{0, bottom, image.width, 1},
        Area{0, 0, 1, image.height}, Area{right, 0, 1, image.height}})
    colors.merge(colorsIn(image, edge));
  return colors == std::set<Pixel>{{255, 255, 255}};
}

// What make_picture_references.py wrote of this kind.
inline std::vector<testsupport::ReferenceCase>
references(const std::string &kind) {
  std::vector<testsupport::ReferenceCase> result;
  for (const testsupport::ReferenceCase &item :
       testsupport::ReferenceReader(POPSCOPE_TEST_DATA "/host/pictures.ref.gz")
           .cases())
    if (item.text("kind") == kind)
      result.push_back(item);
  return result;
}

} // namespace popscope::host::tests
