// The largest or smallest elements of each row.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/SortOrder.hpp>

#include <iosfwd>
#include <utility>
#include <vector>

namespace popops {

// Of equal elements the first are selected, and come first; NaN is larger than
// any number. With SortOrder::NONE the k elements are in any order, but equal
// ones in that of the row if stableSort is true.
struct TopKParams {
  unsigned k;
  bool largest;
  SortOrder sortOrder;
  bool stableSort;

  TopKParams(unsigned k, bool largest, SortOrder sortOrder,
             bool stableSort = false) noexcept;
};

std::ostream &operator<<(std::ostream &os, const TopKParams &p);

poplar::Tensor createTopKInput(poplar::Graph &graph, const poplar::Type &type,
                               const std::vector<std::size_t> &shape,
                               const TopKParams &params,
                               const poplar::DebugContext &debugContext = {});

// Rows are the innermost dimension, which has size k in the results. Elements
// are HALF, FLOAT, INT or UNSIGNED_INT.
poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog,
                    const poplar::Tensor &t, const TopKParams &params,
                    const poplar::DebugContext &debugContext = {});
// Also returns the elements of `values`, of any type, at the same positions.
// Not for stableSort.
std::pair<poplar::Tensor, poplar::Tensor>
topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog,
             const poplar::Tensor &keys, const poplar::Tensor &values,
             const TopKParams &params,
             const poplar::DebugContext &debugContext = {});
// Also returns their positions in the row, UNSIGNED_INT.
std::pair<poplar::Tensor, poplar::Tensor>
topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog,
                    const poplar::Tensor &t, const TopKParams &params,
                    const poplar::DebugContext &debugContext = {});

} // namespace popops
