// Loops that add and sum biases and other vectors and apply a ReLU, vectorised
// for the CPU at hand.
#pragma once

#include <cstddef>

namespace ipumodel {

// x[r][c] += bias[c].
void addBiasToRows(float *x, std::size_t rows, std::size_t channels,
                   const float *bias);
// sums[i] += x[i].
void addToSums(const float *x, std::size_t count, float *sums);
// x[i] = max(x[i], 0); of a NaN makes 0.
void applyRelu(float *x, std::size_t count);
// sums[c] = sum over r of x[r][c], in the order of the rows.
void sumRows(const float *x, std::size_t rows, std::size_t channels,
             float *sums);

} // namespace ipumodel
