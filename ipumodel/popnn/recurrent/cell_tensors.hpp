// The tensors of recurrent layers whose cells have several units.
//
// Weights are [units, inputs, outputs] to the caller and [inputs, units,
// outputs] in memory, so that one product serves all units. Callers choose the
// order of the units; kernels have them in the order of their enumerators.
#pragma once

#include <popnn/Rnn.hpp>

#include <string>
#include <vector>

namespace ipumodel {

using UnitOrder = std::vector<unsigned>; // the unit at each position

template <class Unit> UnitOrder unitOrder(const std::vector<Unit> &units) {
  return UnitOrder(units.begin(), units.end());
}

// Throws poplibs_error, naming `function`, unless there are two layer sizes,
// the type is HALF or FLOAT, lengths fit and the order has each unit once.
void checkCell(const char *function, const popnn::rnn::RnnParams &params,
               const UnitOrder &order, std::size_t units);
// The same unless the tensor has this type and shape.
void checkTensor(const char *function, const char *what,
                 const poplar::Tensor &tensor, const poplar::Type &type,
                 const std::vector<std::size_t> &shape);

poplar::Tensor createUnitWeights(poplar::Graph &graph, const poplar::Type &type,
                                 std::size_t units, std::size_t inputs,
                                 std::size_t outputs,
                                 const poplar::DebugContext &debugContext);

// Between the caller's order of units and the kernels', in dimension 0.
poplar::Tensor fromCellOrder(const poplar::Tensor &tensor,
                             const UnitOrder &order);
poplar::Tensor toCellOrder(const poplar::Tensor &tensor,
                           const UnitOrder &order);

// [units, inputs, outputs] as a matrix [inputs, units * outputs], and back.
poplar::Tensor asMatrix(const poplar::Tensor &weights);
poplar::Tensor fromMatrix(const poplar::Tensor &matrix, std::size_t units);

// Sequences [steps, batch, ...] as a matrix [steps * batch, rest].
poplar::Tensor rowsOf(const poplar::Tensor &sequences);

// The outputs before each step: the initial one, then all but the last.
poplar::Tensor outputsBefore(const poplar::Tensor &initial,
                             const poplar::Tensor &outputs);

} // namespace ipumodel
