// Uses every function of the public headers with its exact type, and every
// default argument. Building this is the test.
#include <gcl/CollectiveBalancedReorder.hpp>
#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>

namespace {

using gcl::CollectiveOperator;
using gcl::CommGroup;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;

template <class F> void is(F *) {}

void text() {
  is<std::istream &(std::istream &, CollectiveOperator &)>(gcl::operator>>);
  is<std::ostream &(std::ostream &, const CollectiveOperator &)>(
      gcl::operator<<);
}

void reductions() {
  is<Tensor(Graph &, const Tensor &, CollectiveOperator, Sequence &,
            const CommGroup &, const DebugContext &, const OptionFlags &)>(
      gcl::allReduceCrossReplica);
  is<Tensor(Graph &, const Tensor &, CollectiveOperator, Sequence &,
            const DebugContext &, const OptionFlags &)>(
      gcl::allReduceCrossReplica);
  is<Tensors(Graph &, const Tensors &, CollectiveOperator, Sequence &,
             const CommGroup &, const DebugContext &, const OptionFlags &)>(
      gcl::allReduceCrossReplica);
  is<Tensors(Graph &, const Tensors &, CollectiveOperator, Sequence &,
             const DebugContext &, const OptionFlags &)>(
      gcl::allReduceCrossReplica);
  is<void(Graph &, Tensor &, CollectiveOperator, Sequence &, const CommGroup &,
          const DebugContext &, const OptionFlags &)>(
      gcl::allReduceInPlaceCrossReplica);
  is<void(Graph &, Tensor &, CollectiveOperator, Sequence &,
          const DebugContext &, const OptionFlags &)>(
      gcl::allReduceInPlaceCrossReplica);
  is<void(Graph &, Tensors &, CollectiveOperator, Sequence &, const CommGroup &,
          const DebugContext &, const OptionFlags &)>(
      gcl::allReduceInPlaceCrossReplica);
  is<void(Graph &, Tensors &, CollectiveOperator, Sequence &,
          const DebugContext &, const OptionFlags &)>(
      gcl::allReduceInPlaceCrossReplica);
  is<void(Graph &, const Tensor &, Tensor &, CollectiveOperator, Sequence &,
          const CommGroup &, const DebugContext &, const OptionFlags &)>(
      gcl::allReduceToDestinationCrossReplica);
  is<void(Graph &, const Tensor &, Tensor &, CollectiveOperator, Sequence &,
          const DebugContext &, const OptionFlags &)>(
      gcl::allReduceToDestinationCrossReplica);
  is<Tensor(Graph &, const Tensor &, CollectiveOperator, Sequence &,
            const CommGroup &, const DebugContext &, const OptionFlags &)>(
      gcl::reduceScatterCrossReplica);
  is<Tensor(Graph &, const Tensor &, CollectiveOperator, Sequence &,
            const DebugContext &, const OptionFlags &)>(
      gcl::reduceScatterCrossReplica);
  is<Tensor(Graph &, const Tensor &, CollectiveOperator, Sequence &,
            const DebugContext &, const OptionFlags &)>(
      gcl::allReduceWithinReplica);
}

void scatters() {
  is<void(Graph &, const Tensor &, const Tensor &, CollectiveOperator,
          Sequence &, const CommGroup &, const DebugContext &,
          const OptionFlags &)>(gcl::reduceScatterToDestinationCrossReplica);
  is<void(Graph &, const Tensor &, const Tensor &, CollectiveOperator,
          Sequence &, const DebugContext &, const OptionFlags &)>(
      gcl::reduceScatterToDestinationCrossReplica);
  is<void(Graph &, const Tensors &, const Tensors &, CollectiveOperator,
          Sequence &, const CommGroup &, const DebugContext &,
          const OptionFlags &)>(gcl::reduceScatterToDestinationCrossReplica);
  is<void(Graph &, const Tensors &, const Tensors &, CollectiveOperator,
          Sequence &, const DebugContext &, const OptionFlags &)>(
      gcl::reduceScatterToDestinationCrossReplica);
}

void reorders(Graph &graph, const Tensor &t) {
  gcl::CollectiveBalancedHostRearrangement host;
  host.setReplicationFactor(2);
  host.setTotalElementsPerReplica(3);
  host.setGatheredToRefSlices({poplar::Interval(0, 6)});
  host = gcl::CollectiveBalancedReorder(graph, t, 2, "name", true)
             .getHostRearrangement();
  gcl::CollectiveBalancedReorder reorder(graph, t, 2, {"name"}, false, 4);
  reorder.createCollectivesTensor(poplar::HALF, "prefix");
}

void exchanges() {
  is<Tensor(Graph &, const Tensor &, Sequence &, const CommGroup &,
            const DebugContext &, const OptionFlags &)>(
      gcl::allGatherCrossReplica);
  is<Tensor(Graph &, const Tensor &, Sequence &, const DebugContext &,
            const OptionFlags &)>(gcl::allGatherCrossReplica);
  is<Tensor(Graph &, const Tensor &, Sequence &, const CommGroup &,
            const DebugContext &, const OptionFlags &)>(
      gcl::allToAllCrossReplica);
  is<Tensor(Graph &, const Tensor &, Sequence &, const DebugContext &,
            const OptionFlags &)>(gcl::allToAllCrossReplica);
}

void tiles(const Graph &graph) {
  is<unsigned(const Graph &)>(gcl::getMinIoTiles);
  is<std::vector<unsigned>(const Graph &, unsigned, unsigned, bool, bool)>(
      gcl::perIPUTiles);
  gcl::perIPUTiles(graph, 0, 2);
}

void defaults(Graph &g, Tensor &t, Tensors &ts, Sequence &prog) {
  const CommGroup all;
  const CommGroup pairs(gcl::CommGroupType::CONSECUTIVE, 2);
  const CommGroup apart(gcl::CommGroupType::ORTHOGONAL, 2, 1);
  const auto op = CollectiveOperator::ADD;
  gcl::allReduceCrossReplica(g, t, op, prog, all);
  gcl::allReduceCrossReplica(g, t, op, prog);
  gcl::allReduceCrossReplica(g, t, op, prog, "name");
  gcl::allReduceCrossReplica(g, ts, op, prog, pairs);
  gcl::allReduceCrossReplica(g, ts, op, prog);
  gcl::allReduceInPlaceCrossReplica(g, t, op, prog, apart);
  gcl::allReduceInPlaceCrossReplica(g, t, op, prog);
  gcl::allReduceInPlaceCrossReplica(g, ts, op, prog, all);
  gcl::allReduceInPlaceCrossReplica(g, ts, op, prog);
  gcl::allReduceToDestinationCrossReplica(g, t, t, op, prog, all);
  gcl::allReduceToDestinationCrossReplica(g, t, t, op, prog);
  gcl::reduceScatterCrossReplica(g, t, op, prog, all);
  gcl::reduceScatterCrossReplica(g, t, op, prog);
  gcl::allReduceWithinReplica(g, t, op, prog);
  gcl::allGatherCrossReplica(g, t, prog, all);
  gcl::allGatherCrossReplica(g, t, prog);
  gcl::allToAllCrossReplica(g, t, prog, all);
  gcl::allToAllCrossReplica(g, t, prog);
}

} // namespace

// Declared, so that none of the functions above is unused.
void nameEverySignature(Graph &graph, Tensor &t, Tensors &ts, Sequence &prog);

void nameEverySignature(Graph &graph, Tensor &t, Tensors &ts, Sequence &prog) {
  text();
  reductions();
  scatters();
  reorders(graph, t);
  exchanges();
  tiles(graph);
  defaults(graph, t, ts, prog);
}
