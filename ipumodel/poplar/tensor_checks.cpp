#include "poplar/tensor_checks.hpp"

#include <poplar/exceptions.hpp>

namespace ipumodel {

std::string rangeText(std::size_t begin, std::size_t end) {
  return "[" + std::to_string(begin) + "," + std::to_string(end) + ")";
}

const Variable *firstVariable(const TensorData &tensor) {
  if (!tensor.graph || tensor.view.blocks().empty())
    return nullptr;
  return &tensor.graph->variables[tensor.view.blocks().front().variable];
}

std::string prefixOf(const TensorData &tensor) {
  const Variable *variable = firstVariable(tensor);
  return variable ? prefixOf(variable->location) : "";
}

const TensorData &dataOf(const poplar::Tensor &tensor, const char *use) {
  if (!tensor.valid())
    throw poplar::poplar_error(std::string(use) +
                               ": the tensor is not valid, it was "
                               "default-constructed and never assigned");
  return *tensor.getImpl();
}

void checkDim(const TensorData &tensor, std::size_t dim, const char *use) {
  const std::size_t rank = tensor.view.shape().size();
  if (dim >= rank)
    throw poplar::index_error(
        prefixOf(tensor) + use + ": tensor " + describe(tensor) + " has " +
        std::to_string(rank) + " dimensions, there is no dimension " +
        std::to_string(dim));
}

void checkSameGraph(const TensorData &a, const TensorData &b, const char *use) {
  if (a.graph != b.graph)
    throw poplar::poplar_error(prefixOf(b) + use + ": tensor " + describe(a) +
                               " and tensor " + describe(b) +
                               " are of different graphs");
}

bool isConstant(const Variable &variable) {
  return variable.kind != Variable::Kind::variable;
}

} // namespace ipumodel
