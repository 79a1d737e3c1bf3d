#include "host/pictures/smooth_image.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace popscope::host {

namespace {

constexpr std::size_t kTaps = 4; // two pixels to either side

struct Neighbours {
  std::array<std::size_t, kTaps> pixels;
  std::array<double, kTaps> weights; // their sum is 1
};

// Of each of `side` places in a row of `count` pixels.
std::vector<Neighbours> neighboursOf(std::size_t count, std::size_t side) {
  const auto mirrored = [count](std::ptrdiff_t pixel) {
    const auto n = std::ptrdiff_t(count);
    const std::ptrdiff_t turn = ((pixel % (2 * n)) + 2 * n) % (2 * n);
    return std::size_t(turn < n ? turn : 2 * n - 1 - turn);
  };
  std::vector<Neighbours> result(side);
  for (std::size_t i = 0; i < side; ++i) {
    const double place = (double(i) + 0.5) * double(count) / double(side) - 0.5;
    const auto first = std::ptrdiff_t(std::floor(place)) - 1;
    double sum = 0.0;
    for (std::size_t tap = 0; tap < kTaps; ++tap) {
      const std::ptrdiff_t pixel = first + std::ptrdiff_t(tap);
      const double distance = place - double(pixel);
      result[i].pixels[tap] = mirrored(pixel);
      result[i].weights[tap] = std::exp(-2.0 * distance * distance);
      sum += result[i].weights[tap];
    }
    for (double &weight : result[i].weights)
      weight /= sum;
  }
  return result;
}

} // namespace

summary::Image smoothDarkOnWhite(const Dataset &set, std::size_t i,
                                 std::uint32_t side) {
  const std::uint8_t *pixels = set.image(i);
  const auto [least, greatest] =
      std::minmax_element(pixels, pixels + set.imagePixels());
  const double range = std::max(1, int(*greatest) - int(*least));
  const std::vector<Neighbours> down = neighboursOf(set.rows, side);
  const std::vector<Neighbours> across = neighboursOf(set.columns, side);

  // First every row at the columns of the result, then those at its rows.
  std::vector<double> rows;
  rows.reserve(set.rows * side);
  for (std::size_t y = 0; y < set.rows; ++y)
    for (const Neighbours &column : across) {
      double ink = 0.0;
      for (std::size_t tap = 0; tap < kTaps; ++tap)
        ink +=
            column.weights[tap] * pixels[y * set.columns + column.pixels[tap]];
      rows.push_back((ink - double(*least)) / range);
    }
  summary::Image result{side, side, summary::PixelFormat::grey, {}};
  result.pixels.reserve(std::size_t(side) * side);
  for (const Neighbours &row : down)
    for (std::size_t x = 0; x < side; ++x) {
      double ink = 0.0;
      for (std::size_t tap = 0; tap < kTaps; ++tap)
        ink += row.weights[tap] * rows[row.pixels[tap] * side + x];
      result.pixels.push_back(std::uint8_t(
          255.0 - std::clamp(std::floor(ink * 256.0), 0.0, 255.0)));
    }
  return result;
}

} // namespace popscope::host
