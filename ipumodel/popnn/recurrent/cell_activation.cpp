#include "popnn/recurrent/cell_activation.hpp"

#include "popops/map_float.hpp"

#include <popnn/NonLinearityDefUtil.hpp>
#include <poputil/exceptions.hpp>

#include <string>

namespace ipumodel {

using popops::expr::UnaryOpType;

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
  default:
    throw poputil::poplibs_error(
        std::string(function) +
        ": the activation must be SIGMOID, HARD_SIGMOID, RELU or TANH");
  }
}

Derivative derivativeOf(CellActivation activation) {
  switch (activation) {
  case CellActivation::sigmoid:
    return {0, 1, -1, false};
  case CellActivation::hardSigmoid:
    return {0.2f, 0, 0, false};
  case CellActivation::relu:
    return {0, 0, 0, true};
  case CellActivation::tanh:
    break;
  }
  return {1, 0, -1, false};
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
  }
}

void roundToHalf(float *x, std::size_t n) {
  const void *in[] = {x};
  popops::findPrimitive(popops::MapOp::roundHalf, 0,
                        popops::Lane::float32)(x, in, n);
}

} // namespace ipumodel
