// The non-linearities of recurrent cells. Training needs those whose derivative
// is known from their result.
#pragma once

#include "popnn/recurrent/cell_loops.hpp"

#include <popnn/NonLinearityDef.hpp>

#include <cstdint>

namespace ipumodel {

enum class CellActivation : std::uint8_t {
  sigmoid,
  hardSigmoid,
  relu,
  tanh,
  softmax, // of a gate's outputs
  // Without a derivative:
  gelu,
  geluErf,
  swish
};

// Throws poplibs_error, naming `function`, for other non-linearities.
CellActivation cellActivation(popnn::NonLinearityType type,
                              const char *function);
// Throws if one of the cell's has no derivative.
void checkDerivatives(CellActivation activation, CellActivation recurrent,
                      const char *function);

Derivative derivativeOf(CellActivation activation);

// Applies it in place, to the outputs of one gate.
void activate(CellActivation activation, float *x, std::size_t n);
// Rounds to the nearest halves.
void roundToHalf(float *x, std::size_t n);

} // namespace ipumodel
