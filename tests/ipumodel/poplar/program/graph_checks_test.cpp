// Errors found before an executable is built, except those about vertices.
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

struct GraphChecks : testing::Test {
  TestGraph graph;

  template <class Error> std::string refusal(const Program &program) {
    return messageOf<Error>([&] { compileGraph(graph, {program}); });
  }
};

TEST_F(GraphChecks, AVariableAProgramUsesMustBeMapped) {
  const Tensor mapped = graph.variable(FLOAT, {8}, "mapped");
  const Tensor loose = graph.addVariable(FLOAT, {8}, "loose");
  EXPECT_NO_THROW(compileGraph(graph, {Sequence()}));
  EXPECT_THAT(refusal<invalid_tile_mapping>(Copy(mapped, loose)),
              AllOf(HasSubstr("[0:8)"), HasSubstr("'loose'")));
}

TEST_F(GraphChecks, TheFirstRangeWithoutATileIsNamed) {
  const Tensor t = graph.addVariable(FLOAT, {8}, "partly");
  graph.setTileMapping(t.slice(0, 3), 1);
  graph.setTileMapping(t.slice(5, 6), 2);
  EXPECT_THAT(
      refusal<invalid_tile_mapping>(PrintTensor("t", t)),
      AllOf(StartsWith(__FILE__), HasSubstr("[3:5)"), HasSubstr("'partly'")));
}

TEST_F(GraphChecks, AVariableOnlyTheHostReadsMustBeMappedToo) {
  graph.createHostRead("read", graph.addVariable(FLOAT, {2}, "read"));
  EXPECT_THAT(refusal<invalid_tile_mapping>(Sequence()), HasSubstr("'read'"));
}

TEST_F(GraphChecks, AVariableOnlyTheHostWritesMustBeMappedToo) {
  graph.createHostWrite("write", graph.addVariable(FLOAT, {2}, "written"));
  EXPECT_THAT(refusal<invalid_tile_mapping>(Sequence()),
              HasSubstr("'written'"));
}

TEST_F(GraphChecks, FunctionsAreCheckedLikePrograms) {
  const Tensor loose = graph.addVariable(FLOAT, {2}, "loose");
  graph.addFunction(PrintTensor("t", loose));
  EXPECT_THAT(refusal<invalid_tile_mapping>(Sequence()), HasSubstr("'loose'"));
}

TEST_F(GraphChecks, ConstantsNeedNoTile) {
  const Tensor c = graph.addConstant(FLOAT, {4}, 1.f);
  const Tensor t = graph.variable(FLOAT, {4}, "t");
  EXPECT_NO_THROW(compileGraph(graph, {Copy(c, t)}));
}

TEST_F(GraphChecks, OneTileNeedsNoMapping) {
  IPUModel model;
  model.tilesPerIPU = 1;
  Graph single(model.createDevice());
  const Tensor t = single.addVariable(FLOAT, {4}, "t");
  EXPECT_NO_THROW(compileGraph(single, {PrintTensor("t", t)}));
}

TEST_F(GraphChecks, IdsMustBeOnesTheGraphHas) {
  graph.addComputeSet("only");
  EXPECT_THAT(refusal<control_program_error>(Execute(ComputeSet(1))),
              AllOf(HasSubstr("compute set 1"), HasSubstr("has 1")));
  EXPECT_THAT(refusal<control_program_error>(Execute(ComputeSet())),
              HasSubstr("compute set"));
  EXPECT_THAT(refusal<control_program_error>(Call(Function(3))),
              HasSubstr("function 3"));
  EXPECT_THAT(refusal<control_program_error>(Call(HostFunction(0), {}, {})),
              HasSubstr("host function 0"));
}

TEST_F(GraphChecks, AProgramOfAnotherGraphIsRefused) {
  TestGraph other;
  const Tensor t = other.variable(FLOAT, {4}, "t");
  const DataStream in = other.addHostToDeviceFIFO("in", FLOAT, 4);
  graph.variable(FLOAT, {4}, "same");
  graph.addHostToDeviceFIFO("in", FLOAT, 4);
  EXPECT_THAT(refusal<control_program_error>(PrintTensor("t", t)),
              HasSubstr("another graph"));
  EXPECT_THAT(refusal<control_program_error>(Copy(in, t)),
              HasSubstr("another graph"));
}

TEST_F(GraphChecks, AFunctionThatReachesItselfIsRefused) {
  graph.addFunction(Sequence({Call(Function(1))}));
  graph.addFunction(Repeat(2, Call(Function(0))));
  EXPECT_THAT(refusal<graph_recursion_error>(Sequence()),
              HasSubstr("0 -> 1 -> 0"));
}

TEST_F(GraphChecks, FunctionsMayCallOthersTwice) {
  const Function leaf = graph.addFunction(Sequence());
  const Function node = graph.addFunction(Sequence({Call(leaf), Call(leaf)}));
  EXPECT_NO_THROW(compileGraph(graph, {Sequence({Call(node), Call(leaf)})}));
}

TEST_F(GraphChecks, ArgumentsOfHostFunctionsMustMatchItsParameters) {
  const Tensor in = graph.variable(FLOAT, {2}, "in");
  const Tensor out = graph.variable(INT, {3}, "out");
  const HostFunction f =
      graph.addHostFunction("f", {std::make_tuple(FLOAT, std::size_t(2))},
                            {std::make_tuple(INT, std::size_t(3))});
  EXPECT_NO_THROW(compileGraph(graph, {Call(f, {in}, {out})}));
  EXPECT_THAT(refusal<graph_connection_error>(Call(f, {}, {out})),
              AllOf(HasSubstr("'f'"), HasSubstr("0 inputs for 1")));
  EXPECT_THAT(refusal<type_error>(Call(f, {in}, {in})), HasSubstr("output 0"));
  EXPECT_THAT(refusal<graph_connection_error>(Call(f, {in}, {out.slice(0, 2)})),
              HasSubstr("3 elements"));
}

TEST_F(GraphChecks, UnknownOptionsAreRefused) {
  EXPECT_THAT(messageOf<invalid_option>([&] {
                compileGraph(graph, {Sequence()}, {{"no.such", "x"}});
              }),
              HasSubstr("no.such"));
}

} // namespace
