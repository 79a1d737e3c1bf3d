// How the elements of a view lie in memory.
#pragma once

#include "poplar/view/view.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace ipumodel {

// Elements of one variable, with one stride for each dimension.
struct Layout {
  VariableId variable;
  std::ptrdiff_t offset;               // of the first element
  std::vector<std::ptrdiff_t> strides; // 0 for a dimension of size one
};

// Empty if the elements are not so, or if there are none.
std::optional<Layout> layoutOf(const View &view);

// The dimensions from `first` on, from the largest step in memory to the
// smallest, after those before; in their own order if the view is not one
// block.
std::vector<unsigned> storageOrder(const View &view, unsigned first = 0);

// True if all elements are the same one.
bool repeatsOneElement(const View &view);
// True if the elements along a dimension are the same ones.
bool repeatsAlong(const View &view, std::size_t dim);

} // namespace ipumodel
