// How does the time to compile grow with the operators and vertices of a
// program, and with the batch of a network?
#include "benchmarks/support/ratio.hpp"
#include "graph/models.hpp"
#include "graph/training_graph.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cstddef>
#include <memory>
#include <sstream>

using benchmarks::Better;
using benchmarks::Suite;
using namespace poplar;
using namespace popscope;

namespace {

// A chain of small operators, whose results are read until the end.
struct ChainOfOperators {
  explicit ChainOfOperators(unsigned operators)
      : graph(IPUModel().createDevice().getTarget()) {
    popops::addCodelets(graph);
    Tensor last = graph.addVariable(FLOAT, {64}, "first");
    poputil::mapTensorLinearly(graph, last);
    Tensor before = last;
    for (unsigned i = 0; i < operators; ++i) {
      const Tensor next = popops::add(graph, last, before, prog);
      before = last;
      last = next;
    }
    graph.createHostRead("last", last);
  }
  void compile() const { const Engine engine(graph, prog); }

  Graph graph;
  program::Sequence prog;
};

const char *const kNegate = R"(
#include <poplar/Vertex.hpp>
class Negate : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> data;
  bool compute() {
    for (float &element : data)
      element = -element;
    return true;
  }
};
)";

// One compute set.
struct ManyVertices {
  explicit ManyVertices(std::size_t vertices)
      : graph(IPUModel().createDevice().getTarget()) {
    std::stringstream source(kNegate);
    graph.addCodelets(source);
    const std::size_t tiles = graph.getTarget().getNumTiles();
    const Tensor data = graph.addVariable(FLOAT, {vertices, 4}, "data");
    poputil::mapTensorLinearly(graph, data);
    const ComputeSet set = graph.addComputeSet("negate");
    for (std::size_t i = 0; i < vertices; ++i) {
      const VertexRef vertex =
          graph.addVertex(set, "Negate", {{"data", data[i]}});
      graph.setTileMapping(vertex, unsigned(i % tiles));
    }
    prog.add(program::Execute(set));
  }
  void compile() const { const Engine engine(graph, prog); }

  Graph graph;
  program::Sequence prog;
};

struct Network {
  explicit Network(std::size_t batch)
      : graph([] {
          IPUModel model;
          model.tilesPerIPU = 64;
          model.memoryBytesPerTile = std::size_t(1) << 30;
          return model.createDevice().getTarget();
        }()) {
    graph::TrainingSpec spec;
    spec.model = graph::cnnModel();
    spec.optimizer = graph::cnnOptimizer();
    spec.batchSize = batch;
    programs = std::make_unique<graph::TrainingGraph>(
        graph::buildTrainingGraph(graph, spec));
  }
  void compile() const { const Engine engine(graph, programs->programs); }

  Graph graph;
  std::unique_ptr<graph::TrainingGraph> programs;
};

void operators(const Suite &suite) {
  if (!suite.wants("engine/compile-operators"))
    return;
  const ChainOfOperators few(1000), many(10000);
  const auto seconds =
      suite.time({[&] { many.compile(); }, [&] { few.compile(); }});
  suite.report({"engine/compile-operators", seconds[0], 10 * seconds[1],
                "ten times a tenth of the operators", Better::lower, 2});
}

void vertices(const Suite &suite) {
  if (!suite.wants("engine/compile-vertices"))
    return;
  const ManyVertices few(10000), many(100000);
  const auto seconds =
      suite.time({[&] { many.compile(); }, [&] { few.compile(); }});
  suite.report({"engine/compile-vertices", seconds[0], 10 * seconds[1],
                "ten times a tenth of the vertices", Better::lower, 2});
}

void batch(const Suite &suite) {
  if (!suite.wants("engine/compile-batch"))
    return;
  const auto seconds = suite.time(
      {[] { Network(8192).compile(); }, [] { Network(128).compile(); }});
  suite.report(
      {"engine/compile-batch", seconds[0], seconds[1],
       "the same network, graph and all, of batch 128 instead of 8,192",
       Better::lower, 2});
}

} // namespace

int main(int argc, char **argv) {
  const Suite suite(argc, argv);
  operators(suite);
  vertices(suite);
  batch(suite);
}
