#include "popops/top_k_kernel.hpp"

#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <ostream>

namespace popops {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

void check(const char *function, const Tensor &t, const TopKParams &params) {
  if (t.rank() == 0)
    throw poplibs_error(std::string(function) + ": a scalar has no rows");
  if (params.k > t.dim(t.rank() - 1))
    throw poplibs_error(std::string(function) + ": a row of " +
                        t.shapeToString() + " does not have " +
                        std::to_string(params.k) + " elements");
}

Tensor addOutput(Graph &graph, const Type &type, const Tensor &t,
                 const TopKParams &params, const DebugContext &context) {
  std::vector<std::size_t> shape = t.shape();
  shape.back() = params.k;
  const Tensor out = graph.addVariable(type, shape, context);
  poputil::mapTensorLinearly(graph, out);
  return out;
}

} // namespace

TopKParams::TopKParams(unsigned k, bool largest, SortOrder sortOrder,
                       bool stableSort) noexcept
    : k(k), largest(largest), sortOrder(sortOrder), stableSort(stableSort) {}

std::ostream &operator<<(std::ostream &os, const SortOrder &o) {
  switch (o) {
  case SortOrder::NONE:
    return os << "none";
  case SortOrder::ASCENDING:
    return os << "ascending";
  case SortOrder::DESCENDING:
    return os << "descending";
  }
  throw poplibs_error("Unknown SortOrder");
}

std::ostream &operator<<(std::ostream &os, const TopKParams &p) {
  return os << "{k=" << p.k << ", largest=" << (p.largest ? "true" : "false")
            << ", sortOrder=" << p.sortOrder
            << ", stableSort=" << (p.stableSort ? "true" : "false") << "}";
}

Tensor createTopKInput(Graph &graph, const Type &type,
                       const std::vector<std::size_t> &shape,
                       const TopKParams &, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, shape));
  const Tensor t = graph.addVariable(type, shape, {di});
  poputil::mapTensorLinearly(graph, t);
  di.addOutput(t);
  return t;
}

Tensor topK(Graph &graph, Sequence &prog, const Tensor &t,
            const TopKParams &params, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  check("topK", t, params);
  const Tensor out = addOutput(graph, t.elementType(), t, params, {di});
  addTopK(prog, params, TopKExtra::none, {out}, {t}, {di});
  di.addOutput(out);
  return out;
}

std::pair<Tensor, Tensor> topKKeyValue(Graph &graph, Sequence &prog,
                                       const Tensor &keys, const Tensor &values,
                                       const TopKParams &params,
                                       const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(keys, values));
  check("topKKeyValue", keys, params);
  if (params.stableSort && params.sortOrder != SortOrder::NONE)
    throw poplibs_error("topKKeyValue: stableSort is not supported");
  if (keys.shape() != values.shape())
    throw poplibs_error("topKKeyValue: keys of shape " + keys.shapeToString() +
                        " but values of shape " + values.shapeToString());
  const Tensor out = addOutput(graph, keys.elementType(), keys, params, {di});
  const Tensor outValues =
      addOutput(graph, values.elementType(), keys, params, {di, "values"});
  addTopK(prog, params, TopKExtra::values, {out, outValues}, {keys, values},
          {di});
  return {out, outValues};
}

std::pair<Tensor, Tensor>
topKWithPermutation(Graph &graph, Sequence &prog, const Tensor &t,
                    const TopKParams &params,
                    const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  check("topKWithPermutation", t, params);
  const Tensor out = addOutput(graph, t.elementType(), t, params, {di});
  const Tensor places =
      addOutput(graph, UNSIGNED_INT, t, params, {di, "permutation"});
  addTopK(prog, params, TopKExtra::permutation, {out, places}, {t}, {di});
  return {out, places};
}

} // namespace popops
