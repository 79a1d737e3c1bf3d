#include <popnn/Loss.hpp>
#include <popops/TopK.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {

poplar::Tensor topK(poplar::Graph &graph, const poplar::Tensor &input,
                    poplar::Tensor &indices, unsigned K, bool sort,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext) {
  if (input.rank() != 2)
    throw poputil::poplibs_error("topK: the input must be a matrix, not " +
                                 input.shapeToString());
  const popops::TopKParams params(
      K, true, sort ? popops::SortOrder::DESCENDING : popops::SortOrder::NONE);
  const auto result =
      popops::topKWithPermutation(graph, prog, input, params, debugContext);
  indices = result.second.expand({1});
  return result.first.expand({1});
}

} // namespace popnn
