#include "poplar/operators/tile_registers.hpp"

#include <poplar/RandomSeed.hpp>

namespace ipumodel {

poplar::Tensor hwSeeds(const poplar::Graph &graph) {
  constexpr std::size_t kSeedWords = 4;
  const std::size_t numWorkers = graph.getTarget().getNumWorkerContexts();
  const poplar::Tensor words =
      tileRegister(graph, "hwSeeds", numWorkers * kSeedWords);
  return words.reshape({words.dim(0), numWorkers, kSeedWords});
}

} // namespace ipumodel

namespace poplar {

Tensor getHwSeeds(Graph &graph, program::Sequence &prog,
                  const DebugContext &debugContext) {
  const Tensor seeds = ipumodel::hwSeeds(graph);
  Tensor copy = ipumodel::addTileWords(graph, seeds.shape(), debugContext);
  prog.add(program::Copy(seeds, copy, false, debugContext));
  return copy;
}

void setHwSeeds(Graph &graph, const Tensor &hwSeeds, program::Sequence &prog,
                const DebugContext &debugContext) {
  prog.add(
      program::Copy(hwSeeds, ipumodel::hwSeeds(graph), false, debugContext));
}

} // namespace poplar
