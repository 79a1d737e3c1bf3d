// Evenly spaced numbers, and the coordinates of a grid.
#pragma once

#include <poplar/Graph.hpp>

#include <cstddef>
#include <vector>

namespace poplin {

// A constant of `count` numbers from `left` to `right`, on tile 0. Its type is
// FLOAT or HALF.
poplar::Tensor linspace(poplar::Graph &graph, const poplar::Type &type,
                        float left, float right, std::size_t count,
                        const poplar::DebugContext &debugContext = {});

// The coordinates of a grid whose columns are at x [columns] and whose rows are
// at y [rows]: two views [rows, columns], of x and of y.
std::vector<poplar::Tensor> meshgrid2d(poplar::Graph &graph, poplar::Tensor x,
                                       poplar::Tensor y);

} // namespace poplin
