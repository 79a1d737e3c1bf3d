#include "poplar/tile_registers.hpp"

#include <poplar/RandomSeed.hpp>

namespace poplar {

namespace {

constexpr std::size_t kSeedWords = 4;

Tensor seedsOf(const Graph &graph) {
  const std::size_t numWorkers = graph.getTarget().getNumWorkerContexts();
  const Tensor words =
      ipumodel::tileRegister(graph, "hwSeeds", numWorkers * kSeedWords);
  return words.reshape({words.dim(0), numWorkers, kSeedWords});
}

} // namespace

Tensor getHwSeeds(Graph &graph, program::Sequence &prog,
                  const DebugContext &debugContext) {
  const Tensor seeds = seedsOf(graph);
  Tensor copy = ipumodel::addTileWords(graph, seeds.shape(), debugContext);
  prog.add(program::Copy(seeds, copy, false, debugContext));
  return copy;
}

void setHwSeeds(Graph &graph, const Tensor &hwSeeds, program::Sequence &prog,
                const DebugContext &debugContext) {
  prog.add(program::Copy(hwSeeds, seedsOf(graph), false, debugContext));
}

} // namespace poplar
