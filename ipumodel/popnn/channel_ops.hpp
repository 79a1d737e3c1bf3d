// Operations on the channels of one field element, vectorised for the
// processor at hand.
#pragma once

#include <cstddef>

namespace ipumodel {

// acc[c] = max(acc[c], x[c]); a NaN never wins.
void maxChannels(float *acc, const float *x, std::size_t n);
// acc[c] += factor * x[c].
void addChannels(float *acc, const float *x, float factor, std::size_t n);
// acc[c] += 1 where x[c] == y[c].
void countEqual(float *acc, const float *x, const float *y, std::size_t n);
// acc[c] += gradient[c] where x[c] == y[c].
void addWhereEqual(float *acc, const float *x, const float *y,
                   const float *gradient, std::size_t n);
// x[c] /= y[c].
void divideChannels(float *x, const float *y, std::size_t n);

} // namespace ipumodel
