#include <popops/CircBuf.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

std::vector<std::size_t> withSize(unsigned size,
                                  std::vector<std::size_t> shape) {
  shape.insert(shape.begin(), size);
  return shape;
}

} // namespace

CircBuf::CircBuf(Graph &graph, const Type &dataType, unsigned size,
                 const std::vector<std::size_t> &shape,
                 const DebugContext &debugContext)
    : graph(graph), size_(size),
      index(graph.addVariable(UNSIGNED_INT, {1}, {debugContext, "index"})),
      hist(createSliceableTensor(graph, dataType, withSize(size, shape), {0},
                                 {1}, 0, debugContext)) {
  graph.setInitialValue(index[0], 0u);
  graph.setTileMapping(index, 0);
}

Tensor CircBuf::prev(unsigned i, Sequence &seq,
                     const DebugContext &debugContext) {
  if (i >= size_)
    throw poplibs_error("CircBuf: a buffer of " + std::to_string(size_) +
                        " tensors has none " + std::to_string(i) +
                        " before the latest");
  using namespace expr;
  const Tensor place = map(graph, (_1 + Const(size_ - i)) % Const(size_),
                           {index}, seq, debugContext);
  return dynamicSlice(graph, hist, place, {0}, {1}, seq, debugContext)
      .squeeze({0});
}

void CircBuf::add(Tensor t, Sequence &seq, const DebugContext &debugContext) {
  if (withSize(size_, t.shape()) != hist.shape())
    throw poplibs_error("CircBuf: a tensor of shape " + t.shapeToString() +
                        " does not have the buffer's shape");
  using namespace expr;
  mapInPlace(graph, (_1 + Const(1u)) % Const(size_), {index}, seq,
             debugContext);
  dynamicUpdate(graph, hist, t.expand({0}), index, {0}, {1}, seq, debugContext);
}

Tensor CircBuf::getIndex() const { return index; }

unsigned CircBuf::size() const { return size_; }

Graph::TileToTensorMapping CircBuf::getTileMapping() {
  return getSliceMapping(graph, hist, {0}, {1});
}

} // namespace popops
