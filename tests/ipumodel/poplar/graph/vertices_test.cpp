// Vertices of codelets compiled from a stream.
#include "expect_error.hpp"

#include <poplar/Graph.hpp>

#include <gmock/gmock.h>
#include <sstream>

namespace {

using namespace poplar;
using testing::HasSubstr;
using testing::StartsWith;

const char *const kCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;

class AllForms : public Vertex {
public:
  Input<float> in;
  Output<Vector<float>> out;
  InOut<Vector<int>> counts;
  Vector<Input<float>> scalars;
  Vector<Input<Vector<float>>> rows;
  unsigned short n;
  float scale;
  bool flag;
  Vector<unsigned> table;
  bool compute() { return true; }
};

namespace ns {
template <typename T> class Twice : public Vertex {
public:
  Input<Vector<T>> in;
  Output<Vector<T>> out;
  bool compute() { return true; }
};
template class Twice<float>;
template class Twice<unsigned>;
} // namespace ns
)";

class VerticesTest : public testing::Test {
protected:
  VerticesTest() {
    std::stringstream source(kCodelets);
    graph.addCodelets(source);
    v = graph.addVertex(cs, "AllForms");
  }

  Tensor floats(std::vector<std::size_t> shape, const char *name = "floats") {
    return graph.addVariable(FLOAT, shape, name);
  }

  Graph graph{Target::createIPUTarget(1, 4, "ipu2")};
  ComputeSet cs = graph.addComputeSet("set");
  VertexRef v;
};

TEST_F(VerticesTest, AreNamedByAnySpellingOfTheirType) {
  EXPECT_TRUE(graph.hasCodelet("ns::Twice<unsigned int>"));
  EXPECT_TRUE(graph.hasCodelet("ns::Twice< unsigned >"));
  EXPECT_FALSE(graph.hasCodelet("Twice<float>"));
  graph.addVertex(cs, "ns::Twice<unsigned>");
  graph.addVertex(cs, "ns::Twice<unsigned int>");
  EXPECT_EQ(graph.getNumVertices(), 3u);
  expectError<unknown_vertex_type>([&] { graph.addVertex(cs, "ns::Thrice"); },
                                   {"ns::Thrice"});
  expectError<poplar_error>([&] { graph.addVertex(ComputeSet(7), "AllForms"); },
                            {"AllForms", "compute set"});
}

TEST_F(VerticesTest, CodeletsOfAStreamAreAddedOnce) {
  std::stringstream source(kCodelets);
  expectError<poplar_error>([&] { graph.addCodelets(source); },
                            {"addCodelets", "already"});
}

TEST_F(VerticesTest, SourcesThatDoNotCompileSaySo) {
  std::stringstream source("class Broken : public poplar::Vertex {");
  std::ostringstream output;
  EXPECT_THROW(graph.addCodelets(source, "", output),
               graph_program_compilation_error);
  EXPECT_THAT(output.str(), HasSubstr("error"));
  EXPECT_THROW(graph.addCodelets("no_such_file.cpp"), poplar_error);
  EXPECT_THROW(graph.addCodelets("no_such_file.gp"), file_load_error);
}

TEST_F(VerticesTest, AreConnectedInEveryForm) {
  graph.connect(v["in"], floats({2})[1]);
  graph.connect(v["out"], floats({3}));
  graph.connect(v["counts"], graph.addVariable(INT, {4}));
  graph.connect(v["scalars"], floats({5}));
  graph.connect(v["rows"], floats({2, 6}));
  graph.setInitialValue(v["n"], std::size_t(7));
  graph.setInitialValue(v["scale"], 2);
  graph.setInitialValue(v["flag"], true);
  graph.setInitialValue(v["table"], {1u, 2u});
  EXPECT_EQ(graph.getFieldSize(v["out"]), 3u);
  EXPECT_EQ(graph.getFieldSize(v["scalars"]), 5u);
  EXPECT_EQ(graph.getFieldSize(v["rows"]), 2u);
  EXPECT_EQ(graph.getFieldSize(v["rows"][1]), 6u);
  EXPECT_EQ(graph.getFieldSize(v["table"]), 2u);
}

TEST_F(VerticesTest, AreConnectedFromAListOfFields) {
  const Tensor t = floats({2, 3});
  const std::vector<Tensor> ragged = {t[0], t[1].slice(0, 2)};
  const VertexRef w = graph.addVertex(cs, "AllForms",
                                      {{"in", t[0][0]},
                                       {"out", floats({4}).slice(1, 3)},
                                       {"rows", ragged},
                                       {"n", 5},
                                       {"scale", 0.5}});
  EXPECT_EQ(graph.getFieldSize(w["out"]), 2u);
  EXPECT_EQ(graph.getFieldSize(w["rows"][1]), 2u);
  const VertexRef u = graph.addVertex(cs, "AllForms", {{"in", 1}});
  expectError<graph_connection_error>([&] { graph.connect(u["in"], t[0][0]); },
                                      {"AllForms.in", "connected already"});
}

TEST_F(VerticesTest, TakeViewsThatAreNotContiguous) {
  const Tensor t = floats({3, 4});
  graph.connect(v["out"], t.transpose().flatten());
  EXPECT_EQ(graph.getFieldSize(v["out"]), 12u);
  graph.connect(v["rows"], t.transpose());
  EXPECT_EQ(graph.getFieldSize(v["rows"]), 4u);
  EXPECT_EQ(graph.getFieldSize(v["rows"][3]), 3u);
  graph.connect(v["counts"], graph.addVariable(INT, {0}));
  EXPECT_EQ(graph.getFieldSize(v["counts"]), 0u);
}

TEST_F(VerticesTest, VectorsOfEdgesAreConnectedOneByOne) {
  expectError<no_size_specified>(
      [&] { graph.connect(v["rows"][0], floats({2})); },
      {"AllForms.rows", "size"});
  EXPECT_THROW(graph.getFieldSize(v["rows"]), no_size_specified);
  graph.setFieldSize(v["rows"], 2);
  EXPECT_EQ(graph.getFieldSize(v["rows"]), 2u);
  graph.connect(v["rows"][1], floats({3}));
  EXPECT_EQ(graph.getFieldSize(v["rows"][1]), 3u);
  expectError<index_error>([&] { graph.connect(v["rows"][2], floats({2})); },
                           {"AllForms.rows", "2"});
  expectError<graph_connection_error>(
      [&] { graph.connect(v["rows"][1], floats({3})); },
      {"AllForms.rows[1]", "connected already"});
  expectError<graph_connection_error>(
      [&] {
        graph.connect(v["rows"], floats({3, 4}));
      },
      {"AllForms.rows", "2", "3"});
  graph.setFieldSize(v["scalars"], 2);
  graph.connect(v["scalars"][0], 1.5f);
  graph.connect(v["scalars"][1], floats({}));
}

TEST_F(VerticesTest, RefuseOtherRanks) {
  expectError<graph_connection_error>(
      [&] { graph.connect(v["in"], floats({1}, "one")); },
      {"AllForms.in", "rank 0", "'one'", "{1}"});
  expectError<graph_connection_error>(
      [&] {
        graph.connect(v["out"], floats({2, 3}, "matrix"));
      },
      {"AllForms.out", "rank 1", "'matrix'", "{2,3}"});
  expectError<graph_connection_error>(
      [&] { graph.connect(v["rows"], floats({6})); }, {"rank 2"});
  expectError<graph_connection_error>(
      [&] {
        graph.connect(v["scalars"], floats({1, 6}));
      },
      {"rank 1"});
  const std::vector<Tensor> list = {floats({2}), floats({2})};
  expectError<graph_connection_error>([&] { graph.connect(v["out"], list); },
                                      {"AllForms.out", "single edge"});
  expectError<graph_connection_error>(
      [&] { graph.connect(v["out"][0], floats({2})); }, {"AllForms.out[0]"});
}

TEST_F(VerticesTest, RefuseOtherTypesAndOtherGraphs) {
  expectError<type_error>(
      [&] { graph.connect(v["out"], graph.addVariable(HALF, {2}, "halves")); },
      {"AllForms.out", "float", "'halves'", "half"});
  Graph other(graph.getTarget());
  expectError<graph_connection_error>(
      [&] {
        graph.connect(v["out"], other.addVariable(FLOAT, {2}, "foreign"));
      },
      {"AllForms.out", "'foreign'", "another graph"});
  expectError<graph_connection_error>(
      [&] { graph.connect(v["out"], Tensor()); },
      {"AllForms.out", "not valid"});
}

TEST_F(VerticesTest, RefuseToWriteConstantsAndAliases) {
  const Tensor c = graph.addConstant(FLOAT, {2}, 1.0f, "fixed");
  expectError<graph_connection_error>([&] { graph.connect(v["out"], c); },
                                      {"AllForms.out", "'fixed'", "writes"});
  expectError<graph_connection_error>(
      [&] { graph.connect(v["out"], floats({2}, "x").broadcast(2, 0)); },
      {"AllForms.out", "'x'"});
  graph.connect(v["in"], c[0]);
}

TEST_F(VerticesTest, RefuseFieldsTheyDoNotHave) {
  expectError<unknown_field>([&] { graph.connect(v["inn"], floats({})); },
                             {"inn", "AllForms"});
  expectError<unknown_field>([&] { graph.setInitialValue(v["m"], 1); },
                             {"m", "AllForms"});
  expectError<poplar_error>(
      [&] { graph.connect(VertexRef()["in"], floats({})); }, {"in"});
}

TEST_F(VerticesTest, RefuseValuesTheStateCannotHold) {
  expectError<overflow_error>([&] { graph.setInitialValue(v["n"], 65536); },
                              {"AllForms.n", "65536"});
  expectError<overflow_error>([&] { graph.setInitialValue(v["n"], -1); },
                              {"AllForms.n", "-1"});
  graph.setInitialValue(v["n"], 65535);
  expectError<graph_connection_error>(
      [&] { graph.setInitialValue(v["table"], 1); }, {"AllForms.table"});
  expectError<graph_connection_error>(
      [&] { graph.setInitialValue(v["n"], std::vector<int>{1}); },
      {"AllForms.n"});
  expectError<graph_connection_error>(
      [&] { graph.setInitialValue(v["in"], 1.0f); }, {"AllForms.in", "edge"});
  expectError<graph_connection_error>(
      [&] { graph.connect(v["scale"], floats({})); },
      {"AllForms.scale", "state"});
}

TEST_F(VerticesTest, ErrorsBeginWithThePlaceOfTheComputeSet) {
  const unsigned line = __LINE__ + 1;
  const ComputeSet here = graph.addComputeSet("here");
  const VertexRef w = graph.addVertex(here, "AllForms");
  try {
    graph.connect(w["in"], floats({2}));
    FAIL();
  } catch (const graph_connection_error &error) {
    EXPECT_THAT(error.what(), StartsWith(std::string(__FILE__) + ":" +
                                         std::to_string(line) + " "));
  }
}

TEST_F(VerticesTest, AreMappedToTilesOfTheGraph) {
  graph.setTileMapping(v, 3);
  expectError<invalid_tile_mapping>([&] { graph.setTileMapping(v, 4); },
                                    {"AllForms", "tile 4", "[0,4)"});
}

TEST_F(VerticesTest, KnowTheLimitsOfTheirFields) {
  EXPECT_EQ(graph.getMaxVertexFieldValue("AllForms", "n"), 65535.0);
  EXPECT_EQ(graph.getMaxVertexFieldValueAs<std::uint64_t>("AllForms", "n"),
            65535u);
  EXPECT_GE(graph.getMaxFieldDim("AllForms", "rows", 1), 1u << 20);
  expectError<index_error>([&] { graph.getMaxFieldDim("AllForms", "out", 1); },
                           {"AllForms.out", "dimension 1"});
  expectError<unknown_field>([&] { graph.getMaxFieldDim("AllForms", "x", 0); },
                             {"x", "AllForms"});
  expectError<unknown_vertex_type>(
      [&] { graph.getMaxFieldDim("Nothing", "x", 0); }, {"Nothing"});
}

TEST_F(VerticesTest, CostWhatTheyAreSaidTo) {
  graph.connect(v["out"], floats({3}));
  graph.connect(v["rows"], floats({2, 6}));
  graph.setInitialValue(v["n"], 9);
  graph.setInitialValue(v["table"], {4u, 5u});
  const auto byDefault = graph.getPerfEstimate(v).cycles;
  EXPECT_GT(byDefault, 0u);
  unsigned calls = 0;
  graph.registerPerfEstimator(
      "AllForms", [&](const VertexIntrospector &vertex, const Target &target) {
        ++calls;
        EXPECT_EQ(vertex.getComputeSet().getId(), cs.getId());
        EXPECT_EQ(vertex.getFieldInfo("in").rank(), 0u);
        EXPECT_EQ(vertex.getFieldInfo("out").size(), 3u);
        const auto rows = vertex.getFieldInfo("rows");
        EXPECT_EQ(rows.rank(), 2u);
        EXPECT_EQ(rows.size(), 2u);
        EXPECT_EQ(rows[1].size(), 6u);
        EXPECT_EQ(rows.getProfilerVectorLayout(1), layout::Vector::Span);
        const auto n = vertex.getFieldInfo("n");
        EXPECT_EQ(n.getInitialValue<unsigned>(target), 9u);
        EXPECT_THAT(vertex.getFieldInfo("table").getInitialValues<int>(target),
                    testing::ElementsAre(4, 5));
        EXPECT_THROW(vertex.getFieldInfo("nothing"), unknown_field);
        return VertexPerfEstimate(100, 7);
      });
  EXPECT_EQ(graph.getPerfEstimate(v).cycles, 100u);
  EXPECT_EQ(graph.getPerfEstimate(v).flops, 7u);
  EXPECT_EQ(calls, 2u);
  graph.setPerfEstimate(v, 42);
  EXPECT_EQ(graph.getPerfEstimate(v).cycles, 42u);
  EXPECT_EQ(calls, 2u);
}

TEST_F(VerticesTest, CostMoreByDefaultWithMoreData) {
  const VertexRef w = graph.addVertex(cs, "AllForms");
  graph.connect(v["out"], floats({10}));
  graph.connect(w["out"], floats({1000}));
  EXPECT_LT(graph.getPerfEstimate(v).cycles, graph.getPerfEstimate(w).cycles);
}

TEST_F(VerticesTest, AreDrawnWithTheirVariables) {
  graph.connect(v["in"], floats({}, "source"));
  graph.connect(v["out"], floats({2}, "sink"));
  std::ostringstream vertices, computeSets, json;
  graph.outputVertexGraph(vertices);
  EXPECT_THAT(vertices.str(), HasSubstr("var0 -> vertex0 [label=\"in\"]"));
  EXPECT_THAT(vertices.str(), HasSubstr("vertex0 -> var1 [label=\"out\"]"));
  graph.outputComputeGraph(computeSets);
  EXPECT_THAT(computeSets.str(), HasSubstr("var0 -> cs0"));
  EXPECT_THAT(computeSets.str(), HasSubstr("cs0 -> var1"));
  EXPECT_THAT(computeSets.str(), HasSubstr("sink"));
  graph.serialize(json, SerializationFormat::JSON);
  EXPECT_THAT(json.str(), HasSubstr("\"out\":[[[1,0,2]]]"));
}

TEST_F(VerticesTest, AreSharedByVirtualGraphs) {
  Graph part = graph.createVirtualGraph(2, 4);
  EXPECT_TRUE(part.hasCodelet("AllForms"));
  const VertexRef w = part.addVertex(cs, "AllForms");
  part.setTileMapping(w, 1);
  EXPECT_EQ(graph.getNumVertices(), 2u);
  graph.setTileMapping(w, 0);
}

} // namespace
