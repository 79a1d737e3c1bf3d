// What the references of recurrent layers have in common.
#pragma once

#include "tests/ipumodel/operator_model.hpp"

#include <popnn/NonLinearityDef.hpp>

namespace poplibstest {

inline popnn::NonLinearityType activationOf(const std::string &name) {
  using Type = popnn::NonLinearityType;
  static const std::map<std::string, Type> types = {
      {"SIGMOID", Type::SIGMOID}, {"HARD_SIGMOID", Type::HARD_SIGMOID},
      {"RELU", Type::RELU},       {"TANH", Type::TANH},
      {"SOFTMAX", Type::SOFTMAX}, {"GELU", Type::GELU},
      {"SWISH", Type::SWISH},     {"GELU_ERF", Type::GELU_ERF}};
  return types.at(name);
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
