#include "test_graph.hpp"

#include <poplar/CSRFunctions.hpp>
#include <poplar/Engine.hpp>
#include <poplar/RandomSeed.hpp>

#include <gmock/gmock.h>
#include <numeric>

using namespace poplar;
using namespace poplar::program;
using testing::Each;
using testing::ElementsAre;

namespace {

std::vector<unsigned> runAndRead(Graph &graph, const Sequence &prog,
                                 const Tensor &t) {
  graph.createHostRead("result", t);
  IPUModel model;
  model.tilesPerIPU = graph.getTopLevelGraph().getTarget().getTilesPerIPU();
  const Device device = model.createDevice();
  Engine engine(graph, prog);
  engine.load(device);
  engine.run();
  std::vector<unsigned> result(t.numElements());
  engine.readTensor("result", result.data(), result.data() + result.size());
  return result;
}

TEST(HwSeeds, AreReadBackAsTheyWereSet) {
  TestGraph graph;
  const Target &target = graph.getTarget();
  std::vector<unsigned> values(target.getNumTiles() *
                               target.getNumWorkerContexts() * 4);
  std::iota(values.begin(), values.end(), 100);
  const Tensor seeds = graph.addConstant<unsigned>(
      UNSIGNED_INT, {target.getNumTiles(), target.getNumWorkerContexts(), 4},
      values);
  Sequence prog;
  setHwSeeds(graph, seeds, prog);
  const Tensor read = getHwSeeds(graph, prog);
  EXPECT_EQ(read.shape(), seeds.shape());
  EXPECT_EQ(runAndRead(graph, prog, read), values);
}

TEST(HwSeeds, ReadingKeepsTheValueOfThatMoment) {
  TestGraph graph;
  const Target &target = graph.getTarget();
  const std::vector<std::size_t> shape = {target.getNumTiles(),
                                          target.getNumWorkerContexts(), 4};
  Sequence prog;
  setHwSeeds(graph, graph.addConstant(UNSIGNED_INT, shape, 1u), prog);
  const Tensor read = getHwSeeds(graph, prog);
  setHwSeeds(graph, graph.addConstant(UNSIGNED_INT, shape, 2u), prog);
  EXPECT_THAT(runAndRead(graph, prog, read), Each(1u));
}

TEST(HwSeeds, AVirtualGraphSeesItsOwnTiles) {
  TestGraph graph;
  const std::size_t workers = graph.getTarget().getNumWorkerContexts();
  Graph half = graph.createVirtualGraph(2, 4);
  Sequence prog;
  setHwSeeds(half, half.addConstant(UNSIGNED_INT, {2, workers, 4}, 7u), prog);
  const std::vector<unsigned> all =
      runAndRead(graph, prog, getHwSeeds(graph, prog));
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  EXPECT_THAT(std::vector<unsigned>(all.begin(), middle), Each(0u));
  EXPECT_THAT(std::vector<unsigned>(middle, all.end()), Each(7u));
}

TEST(FloatingPointBehaviour, IsReadBackAsItWasSet) {
  TestGraph graph;
  Sequence prog;
  const FloatingPointBehaviour none(false, false, false, false, false);
  const FloatingPointBehaviour some(true, false, true, false, true);
  setFloatingPointBehaviour(graph, prog, some);
  const Tensor first = getAndModifyFloatingPointBehaviour(
      graph, prog, FloatingPointBehaviour(), none);
  const Tensor second =
      getAndModifyFloatingPointBehaviour(graph, prog, none, none);
  const auto both = runAndRead(graph, prog, concat(first, second));
  EXPECT_THAT(both, ElementsAre(21, 21, 21, 21, 0, 0, 0, 0));
}

TEST(FloatingPointBehaviour, WhatWasReadCanBeSetAgain) {
  TestGraph graph;
  Sequence prog;
  const FloatingPointBehaviour none(false, false, false, false, false);
  const FloatingPointBehaviour all;
  setFloatingPointBehaviour(graph, prog, all);
  const Tensor saved =
      getAndModifyFloatingPointBehaviour(graph, prog, all, none);
  setFloatingPointBehaviour(graph, prog, saved);
  const Tensor restored =
      getAndModifyFloatingPointBehaviour(graph, prog, none, none);
  EXPECT_THAT(runAndRead(graph, prog, restored), Each(31u));
}

TEST(FloatingPointBehaviour, StochasticRoundingIsOneBitOfIt) {
  TestGraph graph;
  Sequence prog;
  const FloatingPointBehaviour none(false, false, false, false, false);
  setFloatingPointBehaviour(graph, prog, FloatingPointBehaviour());
  setStochasticRounding(graph, prog, false);
  const Tensor off =
      getAndModifyFloatingPointBehaviour(graph, prog, none, none);
  setStochasticRounding(graph, prog, true);
  const Tensor on = getAndModifyFloatingPointBehaviour(graph, prog, none, none);
  EXPECT_THAT(runAndRead(graph, prog, concat(off, on)),
              ElementsAre(23, 23, 23, 23, 31, 31, 31, 31));
}

} // namespace
