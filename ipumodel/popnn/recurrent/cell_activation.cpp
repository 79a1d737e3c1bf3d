#include "popnn/recurrent/cell_activation.hpp"

#include "popops/map/map_float.hpp"

#include <popnn/NonLinearityDefUtil.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>
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
  default:
    throw poputil::poplibs_error(std::string(function) +
                                 ": the activation must be SIGMOID, "
                                 "HARD_SIGMOID, RELU, TANH, SOFTMAX or "
                                 "SOFTMAX_STABLE");
  }
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
    break;
  }
  return {1, 0, -1, Kind::polynomial};
}

void activate(CellActivation activation, float *x, std::size_t n) {
  const void *in[] = {x};
  switch (activation) {
  case CellActivation::sigmoid:
    return popops::findFloatPrimitive(UnaryOpType::SIGMOID)(x, in, n);
  case CellActivation::hardSigmoid:
    return hardSigmoid(x, n);
  case CellActivation::relu:
    return popops::findFloatPrimitive(UnaryOpType::RELU)(x, in, n);
  case CellActivation::tanh:
    return popops::findFloatPrimitive(UnaryOpType::TANH)(x, in, n);
  case CellActivation::softmax:
    return softmax(x, n);
  }
}

void roundToHalf(float *x, std::size_t n) {
  const void *in[] = {x};
  popops::findPrimitive(popops::MapOp::roundHalf, 0,
                        popops::Lane::float32)(x, in, n);
}

} // namespace ipumodel
