#include "test_graph.hpp"
#include "thrown.hpp"

#include <poplar/Program.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using testing::HasSubstr;

namespace {

struct ControlProgram : testing::Test {
  TestGraph graph;
  Sequence body;
};

TEST_F(ControlProgram, PredicatesAreOneElementOfBoolOrA32BitInteger) {
  for (const Type &type : {BOOL, INT, UNSIGNED_INT}) {
    for (const auto &shape : {std::vector<std::size_t>{}, {1}, {1, 1}}) {
      const Tensor p = graph.variable(type, shape, "p");
      EXPECT_NO_THROW(If(p, body, body));
      EXPECT_NO_THROW(RepeatWhileTrue(body, p, body));
      EXPECT_NO_THROW(RepeatWhileFalse(body, p, body));
      EXPECT_NO_THROW(AbortOnCondition{p});
    }
  }
}

TEST_F(ControlProgram, OtherPredicatesAreRefused) {
  const Tensor two = graph.variable(BOOL, {2}, "two");
  const Tensor number = graph.variable(FLOAT, {}, "number");
  EXPECT_THAT(messageOf<graph_connection_error>([&] { If(two, body, body); }),
              HasSubstr("'two' of type bool and shape {2}"));
  EXPECT_THAT(messageOf<type_error>([&] { If(number, body, body); }),
              HasSubstr("'number' of type float and shape {}"));
  EXPECT_THAT(
      messageOf<type_error>([&] { RepeatWhileTrue(body, number, body); }),
      HasSubstr("RepeatWhileTrue"));
  EXPECT_THAT(messageOf<graph_connection_error>(
                  [&] { RepeatWhileFalse(body, two, body); }),
              HasSubstr("RepeatWhileFalse"));
  EXPECT_THAT(messageOf<type_error>([&] { AbortOnCondition(number, "m"); }),
              HasSubstr("AbortOnCondition"));
  EXPECT_THAT(
      messageOf<control_program_error>([&] { If(Tensor(), body, body); }),
      HasSubstr("default-constructed"));
}

TEST_F(ControlProgram, ASwitchIsControlledByOneInteger) {
  EXPECT_NO_THROW(Switch(graph.variable(INT, {}, "i")));
  EXPECT_NO_THROW(Switch(graph.variable(UNSIGNED_INT, {1}, "u")));
  EXPECT_THAT(
      messageOf<type_error>([&] { Switch(graph.variable(BOOL, {}, "flag")); }),
      HasSubstr("'flag' of type bool"));
  EXPECT_THAT(messageOf<graph_connection_error>(
                  [&] { Switch(graph.variable(INT, {2}, "pair")); }),
              HasSubstr("'pair' of type int and shape {2}"));
}

TEST_F(ControlProgram, AnExitStatusIsOneWriteableBool) {
  const ComputeSet cs = graph.addComputeSet();
  EXPECT_NO_THROW(Execute(cs, graph.variable(BOOL, {}, "status")));
  EXPECT_THROW(Execute(cs, graph.variable(INT, {}, "i")), type_error);
  EXPECT_THROW(Execute(cs, graph.variable(BOOL, {2}, "b")),
               graph_connection_error);
  EXPECT_THROW(Execute(cs, graph.addConstant(BOOL, {}, true)),
               graph_connection_error);
}

TEST_F(ControlProgram, HostFunctionsWriteOnlyWhereTheyCan) {
  const HostFunction f =
      graph.addHostFunction("f", {}, {std::make_tuple(FLOAT, 2)});
  EXPECT_NO_THROW(Call(f, {}, {graph.variable(FLOAT, {2}, "out")}));
  EXPECT_THROW(Call(f, {}, {graph.addConstant(FLOAT, {2}, 0.f)}),
               graph_connection_error);
}

TEST_F(ControlProgram, WriteUndefNeedsSomethingToWrite) {
  EXPECT_NO_THROW(WriteUndef(graph.variable(FLOAT, {2}, "v")));
  EXPECT_THROW(WriteUndef(graph.addConstant(FLOAT, {2}, 0.f)),
               graph_connection_error);
}

} // namespace
