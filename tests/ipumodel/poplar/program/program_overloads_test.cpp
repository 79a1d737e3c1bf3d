// Ways of writing programs found in published code, which must work as written.
#include "test_graph.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Program.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string textOf(const Graph &graph, const Program &program) {
  std::ostringstream text;
  dumpProgram(graph, program, text);
  return text.str();
}

TEST(ProgramOverloads, SequenceFromBracesTakesPrograms) {
  const Execute a(ComputeSet(0)), b(ComputeSet(1));
  const Sequence both({a, b});
  EXPECT_EQ((Sequence{a, b}), both);
  EXPECT_EQ(Sequence(a, b), both);
  EXPECT_EQ(Sequence(a, b, a), Sequence({a, b, a}));
  EXPECT_EQ(Sequence{Execute(ComputeSet(0))}, Sequence({a}));
  const Program program = a;
  EXPECT_EQ(Sequence{program}, Sequence({a}));
}

TEST(ProgramOverloads, SequenceTakesANameInEveryForm) {
  TestGraph graph;
  const DebugNameAndId dnai("name");
  const DebugInfo di(DebugContext("name"), "test");
  const Sequence listed{{}, {dnai}};
  const Sequence braced{{dnai}};
  const Sequence called({}, {di});
  const Sequence literal("name");
  for (const Sequence &sequence : {listed, braced, called, literal}) {
    EXPECT_TRUE(sequence.isEmpty());
    EXPECT_EQ(textOf(graph, sequence), "Sequence (name)\n");
  }
}

TEST(ProgramOverloads, BracesAfterAComputeSetAreADebugContext) {
  TestGraph graph;
  const ComputeSet cs = graph.addComputeSet("cs");
  const DebugNameAndId dnai("name");
  EXPECT_EQ(textOf(graph, Execute(cs, {dnai})), "Execute 'cs' (name)\n");
  const Tensor status = graph.variable(BOOL, {}, "status");
  EXPECT_EQ(textOf(graph, Execute(cs, status)), "Execute 'cs' status{}\n");
  EXPECT_EQ(textOf(graph, Execute(cs, status, {dnai})),
            "Execute 'cs' status{} (name)\n");
}

TEST(ProgramOverloads, SwitchTellsCasesDefaultAndNameApart) {
  TestGraph graph;
  const Tensor t = graph.variable(INT, {}, "t");
  const DebugNameAndId dnai("name");
  const Sequence p({Abort()}), q({Abort(), Abort()});
  EXPECT_EQ(textOf(graph, Switch(t, {dnai})),
            "Switch t{} (name)\n  default: Sequence\n");
  EXPECT_EQ(textOf(graph, Switch(t, {{0, p}}, q, {dnai})),
            "Switch t{} (name)\n"
            "  default: Sequence\n    Abort\n    Abort\n"
            "  case 0: Sequence\n    Abort\n");
  EXPECT_EQ(textOf(graph, Switch(t, {{0, p}, {1, q}})),
            "Switch t{}\n  default: Sequence\n"
            "  case 0: Sequence\n    Abort\n"
            "  case 1: Sequence\n    Abort\n    Abort\n");
  EXPECT_EQ(textOf(graph, Switch(t, p)),
            "Switch t{}\n  default: Sequence\n    Abort\n");
}

TEST(ProgramOverloads, CopyNamesAreNeitherFlagsNorTensors) {
  TestGraph graph;
  const Tensor a = graph.variable(FLOAT, {4}, "a");
  const Tensor b = graph.variable(FLOAT, {4}, "b");
  const Tensor offset = graph.variable(UNSIGNED_INT, {1}, "offset");
  const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 4);
  const DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, 4);
  const RemoteBuffer rb = graph.addRemoteBuffer("rb", FLOAT, 4, 3);
  const DebugNameAndId dnai("name");
  EXPECT_EQ(textOf(graph, Copy(a, b)), "Copy a{4} -> b{4}\n");
  EXPECT_EQ(textOf(graph, Copy(a, b, false, {dnai})),
            "Copy a{4} -> b{4} (name)\n");
  EXPECT_EQ(textOf(graph, Copy(in, a)), "Copy 'in' -> a{4}\n");
  EXPECT_EQ(textOf(graph, Copy(a, out)), "Copy a{4} -> 'out'\n");
  EXPECT_EQ(textOf(graph, Copy(rb, a, "x")), "Copy 'rb' -> a{4} (x)\n");
  EXPECT_EQ(textOf(graph, Copy(a, rb, "x")), "Copy a{4} -> 'rb' (x)\n");
  EXPECT_EQ(textOf(graph, Copy(rb, a, offset, "x")),
            "Copy 'rb' -> a{4} offset{1} (x)\n");
  EXPECT_EQ(textOf(graph, Copy(a, rb, offset, "x")),
            "Copy a{4} offset{1} -> 'rb' (x)\n");
}

TEST(ProgramOverloads, TheFirstArgumentDecidesWhatPrintTensorTakes) {
  TestGraph graph;
  const Tensor t = graph.variable(FLOAT, {4}, "t");
  EXPECT_EQ(textOf(graph, PrintTensor("title", t)),
            "PrintTensor 'title' t{4}\n");
  EXPECT_EQ(textOf(graph, PrintTensor(t, "context")),
            "PrintTensor t{4} (context)\n");
  EXPECT_EQ(textOf(graph, PrintTensor("title", t, PrintTensorFmt(), "context")),
            "PrintTensor 'title' t{4} (context)\n");
}

TEST(ProgramOverloads, AbortTakesAMessageBeforeAName) {
  TestGraph graph;
  const Tensor t = graph.variable(BOOL, {}, "t");
  EXPECT_EQ(textOf(graph, Abort("message")), "Abort 'message'\n");
  EXPECT_EQ(textOf(graph, Abort(std::string("message"), "name")),
            "Abort 'message' (name)\n");
  EXPECT_EQ(textOf(graph, AbortOnCondition(t, "message")),
            "Abort 'message' t{}\n");
  EXPECT_EQ(textOf(graph, Abort()), "Abort\n");
}

TEST(ProgramOverloads, CompileGraphTakesOptionsProgressAndNameInBraces) {
  TestGraph graph;
  int last = -1;
  compileGraph(
      graph, {Sequence(), Sequence()}, {},
      [&](int done, int total) {
        EXPECT_GT(done, last);
        EXPECT_LE(done, total);
        last = done;
      },
      "name");
  EXPECT_GT(last, 0);
  compileGraph(graph, {Sequence()}, {{"debug.instrument", "true"}});
  compileGraph(std::move(graph), {Sequence()});
}

} // namespace
