#include "popops/top_k_kernel.hpp"

#include <popops/Sort.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

void check(const char *function, const Tensor &t, unsigned dim) {
  if (dim >= t.rank())
    throw poplibs_error(std::string(function) + ": there is no dimension " +
                        std::to_string(dim) + " in " + t.shapeToString());
}

// With the sorted dimension innermost.
Tensor asRows(const Tensor &t, unsigned dim) {
  return t.dimRoll(dim, t.rank() - 1);
}

TopKParams everything(const Tensor &t, unsigned dim) {
  return TopKParams(static_cast<unsigned>(t.dim(dim)), false,
                    SortOrder::ASCENDING);
}

Tensor addOutput(Graph &graph, const Tensor &t, const DebugContext &context) {
  const Tensor out = graph.addVariable(t.elementType(), t.shape(), context);
  poputil::mapTensorLinearly(graph, out);
  return out;
}

// Keys and values in the order of the keys.
std::pair<Tensor, Tensor> sortBoth(Graph &graph, const char *function,
                                   const Tensor &k, const Tensor &v,
                                   unsigned dim, Sequence &prog,
                                   const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(k, v, dim));
  check(function, k, dim);
  if (k.shape() != v.shape())
    throw poplibs_error(std::string(function) + ": keys of shape " +
                        k.shapeToString() + " but values of shape " +
                        v.shapeToString());
  const Tensor keys = addOutput(graph, k, {di, "keys"});
  const Tensor values = addOutput(graph, v, {di, "values"});
  addTopK(prog, everything(k, dim), TopKExtra::values,
          {asRows(keys, dim), asRows(values, dim)},
          {asRows(k, dim), asRows(v, dim)}, {di});
  return {keys, values};
}

} // namespace

Tensor sort(Graph &graph, const Tensor &t, unsigned dim, Sequence &prog,
            const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t, dim));
  check("sort", t, dim);
  const Tensor out = addOutput(graph, t, {di});
  addTopK(prog, everything(t, dim), TopKExtra::none, {asRows(out, dim)},
          {asRows(t, dim)}, {di});
  di.addOutput(out);
  return out;
}

void sortInPlace(Graph &graph, const Tensor &t, unsigned dim, Sequence &prog,
                 const DebugContext &debugContext) {
  const Tensor sorted = sort(graph, t, dim, prog, debugContext);
  prog.add(Copy(sorted, t, false, debugContext));
}

Tensor sortKeyValue(Graph &graph, const Tensor &k, const Tensor &v,
                    unsigned dim, Sequence &prog,
                    const DebugContext &debugContext) {
  return sortBoth(graph, "sortKeyValue", k, v, dim, prog, debugContext).second;
}

void sortKeyValueInPlace(Graph &graph, const Tensor &k, const Tensor &v,
                         unsigned dim, Sequence &prog,
                         const DebugContext &debugContext) {
  const auto sorted =
      sortBoth(graph, "sortKeyValueInPlace", k, v, dim, prog, debugContext);
  prog.add(Copy(sorted.first, k, false, debugContext));
  prog.add(Copy(sorted.second, v, false, debugContext));
}

} // namespace popops
