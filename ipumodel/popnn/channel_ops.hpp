// Operations on the channels of field elements, vectorised for the processor at
// hand.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ipumodel {

// A box of field elements whose channels follow each other; steps are in
// floats.
struct Window {
  std::size_t depth, height, width;
  std::size_t depthStep, rowStep;
  std::size_t elements() const { return depth * height * width; }
};

// `count` windows, one `inStep` after the other, each with `channels` results.
struct WindowRow {
  Window window;
  std::size_t count;
  std::size_t inStep;
  std::size_t channels;
};

// Where the largest element of a window is: its distance from the window's
// first one, in floats, plus one; or one of these.
using Place = std::int32_t;
constexpr Place kManyPlaces = 0; // or it is not known
constexpr Place kNoPlace = -1;   // all are NaN, or there are none

// out[w][c] = max(lowest, all of the window); a NaN never wins.
void maxWindows(const WindowRow &row, const float *in, float lowest,
                float *out);
// The same, and where they are.
void maxWindowsAndPlaces(const WindowRow &row, const float *in, float lowest,
                         float *out, Place *places);
// out[w][c] = the sum of factor * each of the window.
void sumWindows(const WindowRow &row, const float *in, float factor,
                float *out);
struct SpreadMode {
  bool shareTies; // the gradient is divided by the number of equal maxima
  bool overlap;   // of windows; otherwise all of `to` in them is overwritten
};
// to[...] += gradient[w][c] where in[...] == pooled[w][c], in every window.
void spreadToMaxima(const WindowRow &row, const float *in, const float *pooled,
                    const float *gradient, SpreadMode mode, float *to);
// The same for maxima whose places are known, all of `to` being zero.
void spreadToPlaces(const WindowRow &row, const Place *places, const float *in,
                    const float *pooled, const float *gradient, SpreadMode mode,
                    float *to);
// to[...] += factor * gradient[w][c] in every window.
void spreadEvenly(const WindowRow &row, const float *gradient, float factor,
                  float *to);

} // namespace ipumodel
