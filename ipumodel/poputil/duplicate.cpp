#include "poputil/copy_operands.hpp"

#include <poputil/DebugInfo.hpp>
#include <poputil/Util.hpp>

namespace poputil {

using poplar::Tensor;

Tensor duplicate(poplar::Graph &graph, const Tensor &in,
                 poplar::program::Sequence &p,
                 const poplar::DebugContext &debugContext,
                 poplar::TensorCloneMethod method) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, method));
  Tensor out = graph.clone(in, {di}, method);
  const auto copy = ipumodel::copyOperands(graph, in, out, method);
  p.add(poplar::program::Copy(copy.src, copy.dst, false, {di}));
  di.addOutput(out);
  return out;
}

Tensor cloneN(poplar::Graph &graph, const Tensor &t, unsigned n,
              const poplar::DebugContext &debugContext,
              poplar::TensorCloneMethod method) {
  return graph.cloneN(t, n, debugContext, method);
}

} // namespace poputil
