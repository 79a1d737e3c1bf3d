// Tensors with elements added or removed at their ends: views of the tensor and
// of a constant.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace popops {

namespace padding {

enum class Type {
  EDGE,   // repeats the element at the edge
  REFLECT // mirrors the elements next to the edge
};

// How the constant is mapped: not at all, to tile 0, or like the nearest
// elements of the tensor.
enum class MappingMethod { NONE, ZERO, EDGE };

} // namespace padding

// Amounts for each dimension; a negative amount removes elements.
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t,
    const std::vector<std::ptrdiff_t> &paddingLower,
    const std::vector<std::ptrdiff_t> &paddingUpper, float val = 0.0f,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t,
    const std::vector<std::ptrdiff_t> &paddingLower,
    const std::vector<std::ptrdiff_t> &paddingUpper, int val,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
// Pads with the element of a tensor.
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t,
    const std::vector<std::ptrdiff_t> &paddingLower,
    const std::vector<std::ptrdiff_t> &paddingUpper, const poplar::Tensor &val,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);

// Pads one dimension.
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
    std::ptrdiff_t paddingUpper, unsigned dim, float val = 0.0f,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
    std::ptrdiff_t paddingUpper, unsigned dim, int val,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);
poplar::Tensor
pad(poplar::Graph &graph, const poplar::Tensor &t, std::ptrdiff_t paddingLower,
    std::ptrdiff_t paddingUpper, unsigned dim, const poplar::Tensor &val,
    padding::MappingMethod mappingMethod = padding::MappingMethod::ZERO);

// Pads with elements of the tensor itself.
poplar::Tensor pad(const poplar::Tensor &t,
                   const std::vector<std::ptrdiff_t> &paddingLower,
                   const std::vector<std::ptrdiff_t> &paddingUpper,
                   padding::Type type);
poplar::Tensor pad(const poplar::Tensor &t, std::ptrdiff_t paddingLower,
                   std::ptrdiff_t paddingUpper, unsigned dim,
                   padding::Type type);

} // namespace popops
