// Operations on the channels of field elements, vectorised for the CPU at hand.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ipumodel {

// A box of field elements with contiguous channels; steps are in floats.
struct Window {
  std::size_t depth, height, width;
  std::size_t depthStep, rowStep;
  std::size_t elements() const { return depth * height * width; }
};

// `count` windows, `inStep` apart, each with `channels` results.
struct WindowRow {
  Window window;
  std::size_t count;
  std::size_t inStep;
  std::size_t channels;
};

// For every element of a window, in order, a bit per channel: is it the
// maximum, or as large? The bits of each element begin a byte.
using TieBits = std::uint8_t;
constexpr std::size_t tieBytes(std::size_t channels) {
  return (channels + 7) / 8;
}

// out[w][c] = max(lowest, elements of the window); NaN is ignored.
void maxWindows(const WindowRow &row, const float *in, float lowest,
                float *out);
// The same, and where the maxima are; windows follow each other in `ties`.
void maxWindowsAndTies(const WindowRow &row, const float *in, float lowest,
                       float *out, TieBits *ties);
// Both of what a ReLU makes of the elements.
void maxWindowsOfRelu(const WindowRow &row, const float *in, float *out);
void maxWindowsAndTiesOfRelu(const WindowRow &row, const float *in, float *out,
                             TieBits *ties);
// out[w][c] = sum of factor * element over the window.
void sumWindows(const WindowRow &row, const float *in, float factor,
                float *out);
struct SpreadMode {
  bool shareTies;    // the gradient is divided by the number of equal maxima
  bool positiveOnly; // maxima that are not above zero get none
  bool overlap; // do windows overlap? If not, the elements of `to` in them are
                // overwritten
};
// to[...] += gradient[w][c] where in[...] == pooled[w][c], in every window.
void spreadToMaxima(const WindowRow &row, const float *in, const float *pooled,
                    const float *gradient, SpreadMode mode, float *to);
// The same for maxima that are known.
void spreadToTies(const WindowRow &row, const TieBits *ties,
                  const float *pooled, const float *gradient, SpreadMode mode,
                  float *to);
// to[...] = 0 in the windows whose maximum, pooled[w][c], is not above zero.
void clearUnlessPositive(const WindowRow &row, const float *pooled, float *to);
// to[...] += factor * gradient[w][c] in every window.
void spreadEvenly(const WindowRow &row, const float *gradient, float factor,
                  float *to);

} // namespace ipumodel
