#include <popops/ElementWise.hpp>
#include <popops/NormaliseImage.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

constexpr std::size_t kChannels = 3;

void check(const char *function, const Type &type,
           const std::vector<std::size_t> &shape) {
  if (type != UNSIGNED_CHAR && type != HALF && type != FLOAT)
    throw poplibs_error(std::string(function) +
                        ": images must be UNSIGNED_CHAR, HALF or FLOAT, not " +
                        type.toString());
  if (shape.empty() || shape.back() != kChannels)
    throw poplibs_error(std::string(function) +
                        ": the innermost dimension of an image must be 3");
}

} // namespace

Tensor createNormaliseImageInput(Graph &graph, const Type &type,
                                 const ArrayRef<std::size_t> shape,
                                 const DebugContext &debugContext) {
  check("createNormaliseImageInput", type, shape.cloneAsVector());
  const Tensor t = graph.addVariable(type, shape, debugContext);
  // Keeps pixels whole on a tile.
  poputil::mapTensorLinearly(graph, t, kChannels, kChannels);
  return t;
}

Tensor normaliseImage(Graph &graph, Sequence &seq, Tensor tIn, float inScale,
                      Tensor offsets, Tensor scales,
                      const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(tIn, offsets, scales));
  std::vector<std::size_t> shape = tIn.shape();
  check("normaliseImage", tIn.elementType(), shape);
  const Type type =
      tIn.elementType() == UNSIGNED_CHAR ? HALF : tIn.elementType();
  for (const Tensor &t : {offsets, scales})
    if (t.shape() != std::vector<std::size_t>{kChannels} ||
        t.elementType() != type)
      throw poplibs_error("normaliseImage: offsets and scales must be three " +
                          type.toString() + " each");
  shape.back() = kChannels + 1;
  const Tensor out = graph.addVariable(type, shape, {di});
  poputil::mapTensorLinearly(graph, out, kChannels + 1, kChannels + 1);
  const unsigned channel = static_cast<unsigned>(shape.size()) - 1;
  using namespace expr;
  mapWithOutput(graph,
                Cast((Cast(_1, FLOAT) * Const(inScale) - Cast(_2, FLOAT)) *
                         Cast(_3, FLOAT),
                     type),
                {tIn, offsets, scales}, out.slice(0, kChannels, channel), seq,
                {di});
  const Tensor last = out.slice(kChannels, kChannels + 1, channel);
  const Tensor zeros =
      graph.addConstant(type, last.shape(), 0.0f, {di, "zeros"});
  graph.setTileMapping(zeros, graph.getTileMapping(last));
  seq.add(program::Copy(zeros, last, false, {di}));
  di.addOutput(out);
  return out;
}

} // namespace popops
