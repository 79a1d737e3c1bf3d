// The non-linearities of recurrent cells: those whose derivative is known from
// their result.
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
  softmax // of a gate's outputs
};

// Throws poplibs_error, naming `function`, for other non-linearities.
CellActivation cellActivation(popnn::NonLinearityType type,
                              const char *function);

Derivative derivativeOf(CellActivation activation);

// Applies it in place, to the outputs of one gate.
void activate(CellActivation activation, float *x, std::size_t n);
// Rounds to the nearest halves.
void roundToHalf(float *x, std::size_t n);

} // namespace ipumodel
