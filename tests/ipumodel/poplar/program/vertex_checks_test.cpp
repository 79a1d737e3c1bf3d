// Errors about vertices found before an executable is built.
#include "test_graph.hpp"
#include "thrown.hpp"

#include <poplar/Engine.hpp>

#include <chrono>
#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

namespace {

constexpr const char *kCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;

class Scale : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = 2 * in[i];
    return true;
  }
};

class Increment : public Vertex {
public:
  InOut<Vector<float>> data;
  bool compute() {
    for (unsigned i = 0; i < data.size(); ++i)
      data[i] += 1;
    return true;
  }
};

class Sum : public Vertex {
public:
  Vector<Input<Vector<float>>> parts;
  Output<float> out;
  bool compute() { return true; }
};

class Table : public Vertex {
public:
  Vector<float> values;
  Output<float> out;
  bool compute() { return true; }
};
)";

struct VertexChecks : testing::Test {
  VertexChecks() {
    std::stringstream codelets(kCodelets);
    graph.addCodelets(codelets);
  }

  VertexRef add(ComputeSet cs, const char *type,
                const std::vector<Graph::ConnectionDesc> &connections = {}) {
    const VertexRef v = graph.addVertex(cs, type, connections);
    graph.setTileMapping(v, 0);
    return v;
  }

  template <class Error> std::string refusal() {
    return messageOf<Error>([&] { compileGraph(graph, {Execute(cs)}); });
  }

  TestGraph graph;
  ComputeSet cs = graph.addComputeSet("cs");
  Tensor x = graph.variable(FLOAT, {8}, "x");
  Tensor y = graph.variable(FLOAT, {8}, "y");
};

TEST_F(VertexChecks, DisjointWritesOfOneVariablePass) {
  add(cs, "Scale", {{"in", x}, {"out", y.slice(0, 4)}});
  add(cs, "Scale", {{"in", x}, {"out", y.slice(4, 8)}});
  EXPECT_NO_THROW(compileGraph(graph, {Execute(cs)}));
}

TEST_F(VertexChecks, TwoWritersOfOneElementAreACycle) {
  add(cs, "Scale", {{"in", x}, {"out", y.slice(0, 4)}});
  add(cs, "Scale", {{"in", x}, {"out", y.slice(3, 8)}});
  EXPECT_THAT(refusal<graph_cycle_error>(),
              AllOf(StartsWith(std::string(__FILE__) + ":"),
                    HasSubstr(" Field Scale.out writes to elements [3:4) of "
                              "variable 'y' that are written to elsewhere in "
                              "same compute set")));
}

TEST_F(VertexChecks, AnInOutFieldWritesToo) {
  add(cs, "Increment", {{"data", y}});
  add(cs, "Scale", {{"in", x}, {"out", y.slice(7, 8)}});
  EXPECT_THAT(refusal<graph_cycle_error>(), HasSubstr("[7:8)"));
}

TEST_F(VertexChecks, InterleavedWritesAreToldApartByElement) {
  const Tensor odd = y.reshape({4, 2}).slice(1, 2, 1).flatten();
  const Tensor even = y.reshape({4, 2}).slice(0, 1, 1).flatten();
  add(cs, "Scale", {{"in", x}, {"out", odd}});
  const VertexRef second = add(cs, "Scale", {{"in", x}, {"out", even}});
  EXPECT_NO_THROW(compileGraph(graph, {Execute(cs)}));
  (void)second;
  add(cs, "Scale", {{"in", x}, {"out", y.slice(5, 6)}});
  EXPECT_THAT(refusal<graph_cycle_error>(), HasSubstr("[5:6)"));
}

TEST_F(VertexChecks, WritersInDifferentComputeSetsDoNotMeet) {
  const ComputeSet other = graph.addComputeSet("other");
  add(cs, "Scale", {{"in", x}, {"out", y}});
  add(other, "Scale", {{"in", x}, {"out", y}});
  EXPECT_NO_THROW(
      compileGraph(graph, {Sequence({Execute(cs), Execute(other)})}));
}

TEST_F(VertexChecks, AVertexMayReadWhatItWrites) {
  add(cs, "Scale", {{"in", y}, {"out", y}});
  EXPECT_NO_THROW(compileGraph(graph, {Execute(cs)}));
}

TEST_F(VertexChecks, AVertexMustBeMapped) {
  graph.addVertex(cs, "Scale", {{"in", x}, {"out", y}});
  EXPECT_THAT(refusal<invalid_tile_mapping>(),
              AllOf(HasSubstr("Scale"), HasSubstr("'cs'")));
}

TEST_F(VertexChecks, AVariableAVertexReachesMustBeMapped) {
  add(cs, "Scale",
      {{"in", graph.addVariable(FLOAT, {2}, "loose")}, {"out", y}});
  EXPECT_THAT(refusal<invalid_tile_mapping>(), HasSubstr("'loose'"));
}

TEST_F(VertexChecks, AnUnconnectedEdgeIsNamed) {
  add(cs, "Scale", {{"in", x}});
  EXPECT_THAT(refusal<graph_connection_error>(),
              HasSubstr("Field Scale.out is not connected"));
}

TEST_F(VertexChecks, AVectorOfEdgesNeedsASize) {
  add(cs, "Sum", {{"out", y[0]}});
  EXPECT_THAT(refusal<no_size_specified>(), HasSubstr("Sum.parts"));
}

TEST_F(VertexChecks, EveryEdgeOfAVectorMustBeConnected) {
  const VertexRef v = add(cs, "Sum", {{"out", y[0]}});
  graph.setFieldSize(v["parts"], 3);
  graph.connect(v["parts"][0], x);
  graph.connect(v["parts"][2], x);
  EXPECT_THAT(refusal<graph_connection_error>(), HasSubstr("Sum.parts[1]"));
}

TEST_F(VertexChecks, AVectorOfStateNeedsASize) {
  add(cs, "Table", {{"out", y[0]}});
  EXPECT_THAT(refusal<no_size_specified>(), HasSubstr("Table.values"));
}

TEST_F(VertexChecks, AVectorMayHaveNoElements) {
  add(cs, "Scale", {{"in", x.slice(0, 0)}, {"out", y.slice(0, 0)}});
  EXPECT_NO_THROW(compileGraph(graph, {Execute(cs)}));
}

TEST_F(VertexChecks, AHundredThousandVerticesAreCheckedInSeconds) {
  constexpr std::size_t kVertices = 100000;
  const Tensor big = graph.variable(FLOAT, {kVertices}, "big");
  // In reverse order, so that the writes must be sorted.
  for (std::size_t i = kVertices; i-- > 0;)
    add(cs, "Increment", {{"data", big.slice(i, i + 1)}});
  const auto begin = std::chrono::steady_clock::now();
  compileGraph(graph, {Execute(cs)});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  add(cs, "Increment", {{"data", big.slice(77, 78)}});
  EXPECT_THAT(refusal<graph_cycle_error>(), HasSubstr("[77:78)"));
}

} // namespace
