#include "poplar/graph/tensor_checks.hpp"

#include "poplar/values/type_info.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>

namespace ipumodel {

std::string describe(const TensorData &tensor) {
  return "'" + nameOf(*tensor.graph, tensor) + "' of type " +
         std::string(infoOf(tensor.type).name) + " and shape " +
         shapeText(tensor.view.shape());
}

std::string shapeText(const Shape &shape) {
  std::string text = "{";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "}";
}

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

bool isWriteable(const GraphData &graph, const View &view) {
  return std::none_of(view.blocks().begin(), view.blocks().end(),
                      [&](const Block &block) {
                        return isConstant(graph.variables[block.variable]);
                      }) &&
         view.isInjective();
}

} // namespace ipumodel
