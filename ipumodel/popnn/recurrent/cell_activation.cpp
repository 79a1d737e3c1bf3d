#include "popnn/recurrent/cell_activation.hpp"

#include "popops/map/map_float.hpp"

#include <popnn/NonLinearityDefUtil.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

namespace ipumodel {

using popops::expr::UnaryOpType;

namespace {

void softmax(float *x, std::size_t n) {
  const float largest = *std::max_element(x, x + n);
  float sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += x[i] = std::exp(x[i] - largest);
  for (std::size_t i = 0; i < n; ++i)
    x[i] /= sum;
}

// Calls f(x, n, t), with room for n results at t, for short parts of x.
template <class F> void byParts(float *x, std::size_t n, const F &f) {
  float t[64];
  for (std::size_t i = 0; i < n; i += std::size(t))
    f(x + i, std::min(n - i, std::size(t)), t);
}

// As in popnn::nonLinearity.
void gelu(float *values, std::size_t size) {
  constexpr float kAlpha = 0.7978845608f, kBeta = 0.044715f;
  byParts(values, size, [](float *x, std::size_t n, float *t) {
    for (std::size_t i = 0; i < n; ++i)
      t[i] = kAlpha * x[i] * (1 + kBeta * x[i] * x[i]);
    activate(CellActivation::tanh, t, n);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = 0.5f * x[i] * (1 + t[i]);
  });
}

void swish(float *values, std::size_t size) {
  byParts(values, size, [](float *x, std::size_t n, float *t) {
    std::copy(x, x + n, t);
    activate(CellActivation::sigmoid, t, n);
    multiply(x, t, x, n);
  });
}

bool hasDerivative(CellActivation activation) {
  return activation != CellActivation::gelu &&
         activation != CellActivation::geluErf &&
         activation != CellActivation::swish;
}

} // namespace

CellActivation cellActivation(popnn::NonLinearityType type,
                              const char *function) {
  switch (type) {
  case popnn::NonLinearityType::SIGMOID:
    return CellActivation::sigmoid;
  case popnn::NonLinearityType::HARD_SIGMOID:
    return CellActivation::hardSigmoid;
  case popnn::NonLinearityType::RELU:
    return CellActivation::relu;
  case popnn::NonLinearityType::TANH:
    return CellActivation::tanh;
  case popnn::NonLinearityType::SOFTMAX:
  case popnn::NonLinearityType::SOFTMAX_STABLE:
    return CellActivation::softmax;
  case popnn::NonLinearityType::GELU:
    return CellActivation::gelu;
  case popnn::NonLinearityType::GELU_ERF:
    return CellActivation::geluErf;
  case popnn::NonLinearityType::SWISH:
    return CellActivation::swish;
  case popnn::NonLinearityType::SOFTMAX_SCALED:
    break;
  }
  throw poputil::poplibs_error(
      std::string(function) +
      ": SOFTMAX_SCALED cannot be the activation of a cell, as its scale "
      "would be lost; take SOFTMAX_STABLE");
}

void checkDerivatives(CellActivation activation, CellActivation recurrent,
                      const char *function) {
  if (!hasDerivative(activation) || !hasDerivative(recurrent))
    throw poputil::poplibs_error(
        std::string(function) +
        ": cells with GELU, GELU_ERF or SWISH have no gradients, as these are "
        "not known from the activations' results");
}

Derivative derivativeOf(CellActivation activation) {
  using Kind = Derivative::Kind;
  switch (activation) {
  case CellActivation::sigmoid:
    return {0, 1, -1, Kind::polynomial};
  case CellActivation::hardSigmoid:
    return {0.2f, 0, 0, Kind::polynomial};
  case CellActivation::relu:
    return {0, 0, 0, Kind::step};
  case CellActivation::softmax:
    return {0, 0, 0, Kind::softmax};
  case CellActivation::tanh:
  default: // the others were refused
    break;
  }
  return {1, 0, -1, Kind::polynomial};
}

void activate(CellActivation activation, float *x, std::size_t n) {
  const void *in[] = {x};
  switch (activation) {
  case CellActivation::sigmoid:
    return findFloatPrimitive(UnaryOpType::SIGMOID)(x, in, n);
  case CellActivation::hardSigmoid:
    return hardSigmoid(x, n);
  case CellActivation::relu:
    return findFloatPrimitive(UnaryOpType::RELU)(x, in, n);
  case CellActivation::tanh:
    return findFloatPrimitive(UnaryOpType::TANH)(x, in, n);
  case CellActivation::softmax:
    return softmax(x, n);
  case CellActivation::gelu:
    return gelu(x, n);
  case CellActivation::geluErf:
    return findFloatPrimitive(UnaryOpType::GELU_ERF)(x, in, n);
  case CellActivation::swish:
    return swish(x, n);
  }
}

void roundToHalf(float *x, std::size_t n) {
  const void *in[] = {x};
  findPrimitive(MapOp::roundHalf, 0, Lane::float32)(x, in, n);
}

} // namespace ipumodel
