#include "test_graph.hpp"

#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>

#include <cstdint>
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::program;

namespace {

std::uint64_t run(Graph &graph, const Sequence &prog, const Tensor &result) {
  graph.createHostRead("cycles", result);
  IPUModel model;
  model.tilesPerIPU = graph.getTarget().getTilesPerIPU();
  const Device device = model.createDevice();
  Engine engine(graph, prog);
  engine.load(device);
  engine.run();
  std::uint64_t cycles = 0;
  engine.readTensor("cycles", &cycles, &cycles + 1);
  return cycles;
}

// Copies between tiles, so that there is something to estimate.
std::uint64_t cyclesOfCopies(unsigned count) {
  TestGraph graph;
  const Tensor a = graph.variable(FLOAT, {1000}, "a");
  const Tensor b = graph.addVariable(FLOAT, {1000}, "b");
  graph.setTileMapping(b, 1);
  Sequence prog({Repeat(count, Copy(a, b))});
  const Tensor cycles = cycleCount(graph, prog, 0, SyncType::INTERNAL, "timed");
  EXPECT_EQ(cycles.elementType(), UNSIGNED_INT);
  EXPECT_EQ(cycles.shape(), std::vector<std::size_t>{2});
  return run(graph, prog, cycles);
}

TEST(CycleCount, GrowsWithTheWorkInside) {
  const std::uint64_t once = cyclesOfCopies(1);
  EXPECT_GT(once, 0u);
  const std::uint64_t tenTimes = cyclesOfCopies(10);
  EXPECT_GT(tenTimes, 5 * once);
}

TEST(CycleCount, DoesNotCountWhatCameBefore) {
  TestGraph graph;
  const Tensor a = graph.variable(FLOAT, {1000}, "a");
  const Tensor b = graph.addVariable(FLOAT, {1000}, "b");
  graph.setTileMapping(b, 1);
  Sequence timed({Copy(a, b)});
  const Tensor cycles = cycleCount(graph, timed, 0, SyncType::INTERNAL);
  const Sequence prog({Repeat(100, Copy(a, b)), timed});
  EXPECT_EQ(run(graph, prog, cycles), cyclesOfCopies(1));
}

TEST(CycleCount, KeepsTheProgramItWraps) {
  TestGraph graph;
  const Tensor a = graph.addConstant(UNSIGNED_INT, {2}, 5u);
  const Tensor b = graph.variable(UNSIGNED_INT, {2}, "b");
  Sequence prog({Copy(a, b)});
  cycleCount(graph, prog, 0, SyncType::INTERNAL);
  EXPECT_EQ(run(graph, prog, b), (std::uint64_t(5) << 32) + 5);
}

TEST(CycleStamp, LaterStampsAreLater) {
  TestGraph graph;
  const Tensor a = graph.variable(FLOAT, {1000}, "a");
  const Tensor b = graph.addVariable(FLOAT, {1000}, "b");
  graph.setTileMapping(b, 1);
  Sequence prog({Copy(a, b)});
  const Tensor stamp = cycleStamp(graph, prog, 1, SyncType::INTERNAL);
  EXPECT_GT(run(graph, prog, stamp), 0u);
  EXPECT_EQ(graph.getTileMapping(stamp)[1].size(), 1u);
}

} // namespace
