// Loops over rows of channels, compiled for each instruction set and chosen at
// run time.
#pragma once

#include <cstddef>

namespace ipumodel {

// Sums of each channel over the rows [rows, channels]; they are added to what
// is there.
struct ChannelSumArrays {
  float *first, *second;
};
// Of x, and of its squares.
void addMoments(const float *x, std::size_t rows, std::size_t channels,
                ChannelSumArrays sums);
// Of x * y, and of y.
void addProducts(const float *x, const float *y, std::size_t rows,
                 std::size_t channels, ChannelSumArrays sums);

// out[r][c] from x[r][c], y[r][c] and up to three values of channel c.
struct ChannelMapArrays {
  const float *x, *y;
  const float *values[3];
  const float *term; // added to the result, if not null; may be `out`
  float *out;
  bool relu; // out = max(out, 0), at last
};
// (x - mean) * scale
void whitenChannels(const ChannelMapArrays &arrays, std::size_t rows,
                    std::size_t channels);
// x * factor + offset
void scaleChannels(const ChannelMapArrays &arrays, std::size_t rows,
                   std::size_t channels);
// (x - mean - y * factor) * scale
void centreChannels(const ChannelMapArrays &arrays, std::size_t rows,
                    std::size_t channels);

} // namespace ipumodel
