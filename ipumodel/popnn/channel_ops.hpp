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

// The position of a window's maximum: its distance from the window's first
// element, in floats, plus one; or one of these constants.
using Place = std::int32_t;
constexpr Place kManyPlaces = 0; // or the position is not known
constexpr Place kNoPlace = -1;   // all elements are NaN, or there are none

// out[w][c] = max(lowest, elements of the window); NaN is ignored.
void maxWindows(const WindowRow &row, const float *in, float lowest,
                float *out);
// The same, and the positions of the maxima.
void maxWindowsAndPlaces(const WindowRow &row, const float *in, float lowest,
                         float *out, Place *places);
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
// The same for maxima at known positions; all of `to` must be zero.
void spreadToPlaces(const WindowRow &row, const Place *places, const float *in,
                    const float *pooled, const float *gradient, SpreadMode mode,
                    float *to);
// to[...] += factor * gradient[w][c] in every window.
void spreadEvenly(const WindowRow &row, const float *gradient, float factor,
                  float *to);

} // namespace ipumodel
