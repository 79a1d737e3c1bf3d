// The arithmetic of normalisation on rows of floats, compiled for each
// instruction set and chosen at run time.
#pragma once

#include <cstddef>

namespace ipumodel {

// Sums over n elements.
struct RowMoments {
  float sum, squares;
};
RowMoments momentsOf(const float *x, std::size_t n);
// Of (x - mean)^2.
float squaredDistance(const float *x, float mean, std::size_t n);

struct RowGradientSums {
  float products, gradients;
};
RowGradientSums normGradientSums(const float *whitened, const float *gradients,
                                 std::size_t n);

// out = (gradients - means.gradients - whitened * means.products) * scale.
void normGradient(const float *whitened, const float *gradients,
                  RowGradientSums means, float scale, float *out,
                  std::size_t n);

} // namespace ipumodel
