// Uses every function of the public headers with its exact type, and every
// default argument. Building this is the test.
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>

namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;

template <class F> void is(F *) {}

void functions() {
  is<void(Graph &)>(poprand::addCodelets);
  is<Tensor(Graph &, const Tensor *, uint32_t, const Tensor &, const Tensor &,
            double, double, Sequence &, const DebugContext &)>(
      poprand::dropout);
  is<Tensor(Graph &, const Tensor *, uint32_t, const Tensor &, const Tensor &,
            double, double, bool, Sequence &, const DebugContext &)>(
      poprand::dropout);
  is<Tensor(Graph &, const Tensor *, uint32_t, const Tensor &, const Tensor &,
            double, double, Sequence &, const DebugContext &)>(
      poprand::shapedDropout);
  is<Tensor(Graph &, const Tensor *, uint32_t, const Tensor &, const Type &,
            double, double, Sequence &, const DebugContext &)>(
      poprand::uniform);
  is<Tensor(Graph &, const Tensor *, uint32_t, const Tensor &, const Type &,
            double, double, Sequence &, double, const DebugContext &)>(
      poprand::logUniform);
  is<Tensor(Graph &, const Tensor *, uint32_t, const Tensor &, const Type &,
            double, Sequence &, const DebugContext &)>(poprand::bernoulli);
  is<Tensor(Graph &, const Tensor *, uint32_t, const Tensor &, const Type &,
            double, double, Sequence &, const DebugContext &)>(poprand::normal);
  is<Tensor(Graph &, const Tensor *, uint32_t, const Tensor &, const Type &,
            double, double, double, Sequence &, const DebugContext &)>(
      poprand::truncatedNormal);
  is<void(Graph &, const Tensor &, uint32_t, Sequence &, const DebugContext &)>(
      poprand::setSeed);
}

void defaults(Graph &g, const Tensor &t, const Type &type, Sequence &prog) {
  poprand::dropout(g, &t, 1, t, t, 0.5, 2, prog);
  poprand::dropout(g, nullptr, 1, t, t, 0.5, 2, true, prog);
  poprand::shapedDropout(g, &t, 1, t, t, 0.5, 2, prog);
  poprand::uniform(g, &t, 1, t, type, 0, 1, prog);
  poprand::logUniform(g, &t, 1, t, type, 1, 2, prog);
  poprand::logUniform(g, &t, 1, t, type, 1, 2, prog, 2.0, "name");
  poprand::bernoulli(g, &t, 1, t, type, 0.5, prog);
  poprand::normal(g, &t, 1, t, type, 0, 1, prog);
  poprand::truncatedNormal(g, &t, 1, t, type, 0, 1, 2, prog);
  poprand::setSeed(g, t, 1, prog);
}

} // namespace

// Declared, so that none of the functions above is unused.
void nameEverySignature(Graph &graph, const Tensor &t, const Type &type,
                        Sequence &prog);

void nameEverySignature(Graph &graph, const Tensor &t, const Type &type,
                        Sequence &prog) {
  functions();
  defaults(graph, t, type, prog);
}
