#include <poplar/Graph.hpp>
#include <popops/HostSliceTensor.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using namespace poplar;

// Reading costs what writing does here, so both are laid out alike.
Tensor createHostTransferableTensor(Graph &graph, const Type &type,
                                    const std::vector<size_t> &shape, bool,
                                    const DebugContext &debugContext) {
  const Tensor t = graph.addVariable(type, shape, debugContext);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

IndicesAndTensor createHostSliceableTensor(Graph &graph, const Type &type,
                                           const std::vector<size_t> &shape,
                                           const bool isRead,
                                           const DebugContext &debugContext) {
  if (shape.size() != 2)
    throw poputil::poplibs_error("createHostSliceableTensor: a matrix is "
                                 "needed, not a tensor of rank " +
                                 std::to_string(shape.size()));
  return {
      createHostTransferableTensor(graph, UNSIGNED_INT, {shape[0]}, isRead,
                                   {debugContext, "indices"}),
      createHostTransferableTensor(graph, type, shape, isRead, debugContext)};
}

} // namespace popops
