// What the references of recurrent layers have in common.
#pragma once

#include "tests/ipumodel/operator_model.hpp"

#include <popnn/NonLinearityDef.hpp>

namespace poplibstest {

inline popnn::NonLinearityType activationOf(const std::string &name) {
  if (name == "SIGMOID")
    return popnn::NonLinearityType::SIGMOID;
  if (name == "HARD_SIGMOID")
    return popnn::NonLinearityType::HARD_SIGMOID;
  if (name == "SOFTMAX")
    return popnn::NonLinearityType::SOFTMAX;
  return name == "RELU" ? popnn::NonLinearityType::RELU
                        : popnn::NonLinearityType::TANH;
}

// The lengths of the sequences, or an invalid tensor if all have the same.
inline poplar::Tensor lengthsOf(OperatorModel &m, const ReferenceCase &c) {
  return c.number("has_lengths")
             ? m.input(poplar::UNSIGNED_INT, c.array("lengths"))
             : poplar::Tensor();
}

// The units of an array in another order: those at `order` one after the other.
template <class Unit>
ReferenceArray reordered(const ReferenceArray &array,
                         const std::vector<Unit> &order) {
  ReferenceArray result = array;
  const std::size_t size = array.floats.size() / order.size();
  for (std::size_t i = 0; i < order.size(); ++i)
    std::copy_n(array.floats.data() + order[i] * size, size,
                result.floats.data() + i * size);
  return result;
}

} // namespace poplibstest
