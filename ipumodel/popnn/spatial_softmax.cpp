#include <poplin/MatMul.hpp>
#include <poplin/MeshGrid.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {

using namespace poplar;

std::pair<Tensor, Tensor>
spatialSoftMax2D(Graph &graph, program::Sequence &prog, const Tensor &fields,
                 float temperature, bool disableSoftmax,
                 const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(fields, temperature, disableSoftmax));
  if (fields.rank() != 3)
    throw poputil::poplibs_error(
        "spatialSoftMax2D: fields are [fields, height, width], not " +
        fields.shapeToString());
  const Type type = fields.elementType();
  const Tensor divisor = graph.addVariable(type, {}, {di, "temperature"});
  graph.setTileMapping(divisor, 0);
  graph.setInitialValue(divisor, temperature);
  Tensor shares = popops::div(graph, fields.flatten(1, 3), divisor, prog, {di});
  if (!disableSoftmax)
    nonLinearityInPlace(graph, NonLinearityType::SOFTMAX_STABLE, shares, prog,
                        {di});
  const auto grid = poplin::meshgrid2d(
      graph, poplin::linspace(graph, type, -1, 1, fields.dim(2), {di}),
      poplin::linspace(graph, type, -1, 1, fields.dim(1), {di}));
  const Tensor places =
      concat(grid[1].flatten().expand({1}), grid[0].flatten().expand({1}), 1);
  const Tensor expected =
      poplin::matMul(graph, shares, places, prog, {di, "expectation"});
  di.addOutput(expected);
  return {expected, divisor};
}

} // namespace popnn
