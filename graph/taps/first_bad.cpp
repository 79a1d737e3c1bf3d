#include "graph/taps/first_bad.hpp"

#include <gcl/Collectives.hpp>

namespace popscope::graph {

namespace {

using poplar::program::Copy;
using poplar::program::Execute;
using poplar::program::If;
using poplar::program::Sequence;

constexpr std::size_t kCyclesPerRow = 8; // estimated, never measured

} // namespace

void addAtFirstBad(poplar::Graph &graph, const PartialStats &stats,
                   BadElements bad, const Sequence &action, Sequence &prog,
                   const poplar::DebugContext &debugContext) {
  const unsigned tile = 0;
  const auto addWord = [&](const char *name) {
    const poplar::Tensor word =
        graph.addVariable(poplar::UNSIGNED_INT, {}, {debugContext, name});
    graph.setTileMapping(word, tile);
    return word;
  };
  const poplar::Tensor done = addWord("done");
  poplar::Tensor isBad = addWord("bad");
  graph.setInitialValue(done, 0u);
  const poplar::ComputeSet find = graph.addComputeSet({debugContext, "find"});
  const poplar::VertexRef vertex = graph.addVertex(
      find, "popscope::FirstBad",
      {{"rows", stats.rows.flatten()}, {"done", done}, {"isBad", isBad}});
  graph.setInitialValue(vertex["rowWords"], rowWords(stats.tier));
  graph.setInitialValue(vertex["infinitiesCount"],
                        bad == BadElements::nanAndInfinities);
  graph.setTileMapping(vertex, tile);
  graph.setPerfEstimate(vertex, 20 + kCyclesPerRow * stats.rows.dim(0));
  prog.add(Execute(find, {debugContext, "find"}));
  if (graph.getReplicationFactor() > 1)
    gcl::allReduceInPlaceCrossReplica(
        graph, isBad, gcl::CollectiveOperator::MAX, prog, {debugContext, "or"});

  const poplar::Tensor one =
      graph.addConstant(poplar::UNSIGNED_INT, {}, 1u, {debugContext, "one"});
  graph.setTileMapping(one, tile);
  Sequence once;
  once.add(action);
  once.add(Copy(one, done, false, {debugContext, "done"}));
  prog.add(If(isBad, once, Sequence(), {debugContext, "first_bad"}));
}

} // namespace popscope::graph
