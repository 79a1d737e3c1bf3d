#include "poputil/copy_operands.hpp"

#include <poputil/Util.hpp>

namespace ipumodel {

using poplar::Tensor;
using poplar::TensorCloneMethod;

namespace {

bool keepsAliases(TensorCloneMethod method) {
  return method == TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES ||
         method ==
             TensorCloneMethod::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES;
}

} // namespace

CopyOperands copyOperands(const poplar::Graph &graph, const Tensor &src,
                          const Tensor &clone, TensorCloneMethod method) {
  if (!keepsAliases(method) || !src.containsAliases())
    return {src, clone};
  const Tensor flatSrc = src.flatten();
  const auto unique =
      poputil::flattenIntervals(graph.getSortedContiguousRegions(
          flatSrc, {{0, flatSrc.numElements()}}, true));
  return {concat(flatSrc.slices(unique)),
          concat(clone.flatten().slices(unique))};
}

} // namespace ipumodel
