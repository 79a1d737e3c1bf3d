// Operations on the channels of field elements, vectorised for the processor at
// hand.
#pragma once

#include <cstddef>

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

// out[w][c] = max(lowest, all of the window); a NaN never wins.
void maxWindows(const WindowRow &row, const float *in, float lowest,
                float *out);
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
// to[...] += factor * gradient[w][c] in every window.
void spreadEvenly(const WindowRow &row, const float *gradient, float factor,
                  float *to);

} // namespace ipumodel
