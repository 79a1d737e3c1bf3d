#include "poplar/view/layout.hpp"

#include <algorithm>
#include <numeric>

namespace ipumodel {

namespace {

std::ptrdiff_t outerStride(const BlockDim &dim) {
  return dim.loops.empty() ? 0 : dim.loops[0].stride;
}

} // namespace

std::optional<Layout> layoutOf(const View &view) {
  if (view.blocks().size() != 1)
    return std::nullopt;
  const Block &block = view.blocks()[0];
  Layout layout{block.variable, block.offset, {}};
  for (const BlockDim &dim : block.dims) {
    if (dim.loops.size() > 1)
      return std::nullopt;
    layout.strides.push_back(outerStride(dim));
  }
  return layout;
}

std::vector<unsigned> storageOrder(const View &view, unsigned first) {
  std::vector<unsigned> order(view.shape().size());
  std::iota(order.begin(), order.end(), 0u);
  if (view.blocks().size() == 1 && order.size() > first) {
    const Block &block = view.blocks()[0];
    std::stable_sort(
        order.begin() + first, order.end(), [&](unsigned a, unsigned b) {
          return outerStride(block.dims[a]) > outerStride(block.dims[b]);
        });
  }
  return order;
}

bool repeatsAlong(const View &view, std::size_t dim) {
  return !view.blocks().empty() &&
         std::all_of(view.blocks().begin(), view.blocks().end(),
                     [&](const Block &block) {
                       const BlockDim &along = block.dims[dim];
                       return along.begin == 0 &&
                              along.extent == view.shape()[dim] &&
                              std::all_of(along.loops.begin(),
                                          along.loops.end(),
                                          [](const Loop &loop) {
                                            return loop.stride == 0;
                                          });
                     });
}

bool repeatsOneElement(const View &view) {
  const std::optional<Layout> layout = layoutOf(view);
  return layout &&
         std::all_of(layout->strides.begin(), layout->strides.end(),
                     [](std::ptrdiff_t stride) { return stride == 0; });
}

} // namespace ipumodel
