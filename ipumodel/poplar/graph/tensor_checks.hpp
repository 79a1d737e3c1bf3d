// Checks shared by the functions that take tensors. Messages identify a tensor
// by its first variable and the place that made it.
#pragma once

#include "poplar/graph/graph_impl.hpp"

#include <poplar/Tensor.hpp>

#include <string>

namespace ipumodel {

// "'weights' of type float and shape {3,4}"
std::string describe(const TensorData &tensor);
// "{3,4}"
std::string shapeText(const Shape &shape);
// "[4,9)"
std::string rangeText(std::size_t begin, std::size_t end);
// "file:line " of the tensor's first variable; empty if unknown.
std::string prefixOf(const TensorData &tensor);

// Throws poplar_error, with a message that begins with `use`, if the tensor is
// not valid.
const TensorData &dataOf(const poplar::Tensor &tensor, const char *use);

// Throws index_error unless the tensor has dimension `dim`.
void checkDim(const TensorData &tensor, std::size_t dim, const char *use);

// Throws poplar_error with both names if the tensors are of different graphs.
void checkSameGraph(const TensorData &a, const TensorData &b, const char *use);

// True for constants and the replica index.
bool isConstant(const Variable &variable);
// True if a program may write to the view: no aliases, no constants.
bool isWriteable(const GraphData &graph, const View &view);

// The variable of the tensor's first element; null if it has no elements.
const Variable *firstVariable(const TensorData &tensor);

} // namespace ipumodel
