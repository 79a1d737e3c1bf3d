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
// Makes each value (value - mean) * scale, with the values of its channel.
struct ChannelWhitening {
  const float *mean, *scale; // null if there is nothing to do
};
// Of x * y, and of y.
void addProducts(const float *x, const ChannelWhitening &whitening,
                 const float *y, std::size_t rows, std::size_t channels,
                 ChannelSumArrays sums);

// out[r][c] from x[r][c], y[r][c] and up to three values of channel c.
struct ChannelMapArrays {
  const float *x, *y;
  ChannelWhitening whitening; // of y, or else of x
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
