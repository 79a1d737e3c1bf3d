#include <popops/ElementWiseUtil.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <optional>
#include <tuple>

namespace popops {

namespace {

using poplar::Tensor;

// Smaller is better balanced.
using Spread = std::tuple<std::size_t, std::ptrdiff_t, std::size_t>;

Spread spreadOf(poplar::Graph &graph, const Tensor &tensor) {
  std::size_t largest = 0, regions = 0;
  std::ptrdiff_t tiles = 0;
  Tensor flat = tensor.flatten();
  graph.reorderToSimplify(&flat, {});
  for (const auto &tile : graph.getTileMapping(flat)) {
    std::size_t elements = 0;
    for (const poplar::Interval &region : tile)
      elements += region.size();
    largest = std::max(largest, elements);
    regions += tile.size();
    tiles += tile.empty() ? 0 : 1;
  }
  return {largest, -tiles, regions};
}

} // namespace

Tensor createOutputForElementWiseOp(poplar::Graph &graph,
                                    const std::vector<Tensor> &inputs,
                                    const poplar::Type &outputType,
                                    const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(inputs, outputType));
  if (inputs.empty())
    throw poputil::poplibs_error(
        "createOutputForElementWiseOp '" + debugContext.getPathName() +
        "': there is no input to take the layout from");
  for (const Tensor &input : inputs)
    if (input.shape() != inputs[0].shape())
      throw poputil::poplibs_error(
          "createOutputForElementWiseOp '" + debugContext.getPathName() +
          "': the shapes " + inputs[0].shapeToString() + " and " +
          input.shapeToString() + " of inputs differ");

  std::vector<const Tensor *> candidates;
  for (const Tensor &input : inputs)
    if (!input.containsAliases())
      candidates.push_back(&input);
  const Tensor *best = nullptr;
  if (candidates.size() == 1) {
    best = candidates[0];
  } else {
    std::optional<Spread> bestSpread;
    for (const Tensor *candidate : candidates) {
      const Spread spread = spreadOf(graph, *candidate);
      if (!bestSpread || spread < *bestSpread) {
        best = candidate;
        bestSpread = spread;
      }
    }
  }
  if (!best && inputs[0].numElements() == 1)
    best = &inputs[0];

  Tensor output;
  if (best) {
    output = graph.clone(outputType, *best, {di});
  } else {
    output = graph.addVariable(outputType, inputs[0].shape(), {di});
    const poplar::Target &target = graph.getTarget();
    const std::size_t bits = 8 * target.getTypeSize(outputType);
    const auto grain =
        std::max<std::size_t>(1, target.getDataPathWidth() / bits);
    poputil::mapTensorLinearly(graph, output, 0, static_cast<unsigned>(grain));
  }
  di.addOutput(output);
  return output;
}

} // namespace popops
