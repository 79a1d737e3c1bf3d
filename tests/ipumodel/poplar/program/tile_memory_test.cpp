#include "test_graph.hpp"
#include "thrown.hpp"

#include <poplar/Engine.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

// One byte more than the memory of tile 1, and nothing on the others.
void overfill(Graph &graph) {
  const std::size_t bytes = graph.getTarget().getBytesPerTile() + 1;
  graph.setTileMapping(graph.addVariable(UNSIGNED_CHAR, {bytes}, "big"), 1);
}

TEST(TileMemory, AnIPUTargetRefusesWhatDoesNotFit) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  overfill(graph);
  const std::size_t bytes = graph.getTarget().getBytesPerTile();
  EXPECT_THAT(messageOf<graph_memory_allocation_error>(
                  [&] { compileGraph(graph, {Sequence()}); }),
              AllOf(StartsWith("Out of memory: Cannot fit all variable data "
                               "onto one or more tiles"),
                    HasSubstr("tile 1"), HasSubstr(std::to_string(bytes)),
                    HasSubstr(std::to_string(bytes + 1))));
}

TEST(TileMemory, AFullTileIsNotTooFull) {
  Graph graph(Target::createIPUTarget(1, 4, "ipu2"));
  const std::size_t bytes = graph.getTarget().getBytesPerTile();
  const Tensor full = graph.addVariable(UNSIGNED_CHAR, {bytes}, "full");
  graph.setTileMapping(full, 1);
  EXPECT_NO_THROW(compileGraph(graph, {Sequence()}));
}

TEST(TileMemory, TheModelRefusesOnlyIfAsked) {
  TestGraph graph;
  overfill(graph);
  EXPECT_NO_THROW(compileGraph(graph, {Sequence()}));
  EXPECT_NO_THROW(
      compileGraph(graph, {Sequence()}, {{"debug.allowOutOfMemory", "true"}}));
  EXPECT_THROW(
      compileGraph(graph, {Sequence()}, {{"debug.allowOutOfMemory", "false"}}),
      graph_memory_allocation_error);
}

TEST(TileMemory, TheCPUHasNoLimit) {
  Graph graph(Target::createCPUTarget());
  const std::size_t bytes = graph.getTarget().getBytesPerTile() + 1;
  graph.addVariable(UNSIGNED_CHAR, {bytes}, "big");
  EXPECT_NO_THROW(
      compileGraph(graph, {Sequence()}, {{"debug.allowOutOfMemory", "false"}}));
}

} // namespace
