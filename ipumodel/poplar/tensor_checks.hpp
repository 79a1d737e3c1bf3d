// Checks shared by the functions that take tensors, and how messages speak of
// one: by its first variable, and the place where that was made.
#pragma once

#include "poplar/graph_impl.hpp"

#include <poplar/Tensor.hpp>

#include <string>

namespace ipumodel {

// "'weights' of type float and shape {3,4}"
std::string describe(const TensorData &tensor);
// "{3,4}"
std::string shapeText(const Shape &shape);
// "[4,9)"
std::string rangeText(std::size_t begin, std::size_t end);
// "file:line " of the first variable the tensor shows, or nothing.
std::string prefixOf(const TensorData &tensor);

// Throws poplar_error, beginning with `use`, if the tensor is not valid.
const TensorData &dataOf(const poplar::Tensor &tensor, const char *use);

// Throws index_error unless the tensor has dimension `dim`.
void checkDim(const TensorData &tensor, std::size_t dim, const char *use);

// Throws poplar_error naming both if the tensors are of different graphs.
void checkSameGraph(const TensorData &a, const TensorData &b, const char *use);

// True for constants and the replica index.
bool isConstant(const Variable &variable);
// True if a program may write to the view: no element twice, no constant.
bool isWriteable(const GraphData &graph, const View &view);

// The variable at the first corner of the tensor; null if it has no elements.
const Variable *firstVariable(const TensorData &tensor);

} // namespace ipumodel
