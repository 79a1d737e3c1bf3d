#include "test_graph.hpp"

#include <poplar/Program.hpp>

#include <gtest/gtest.h>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

TEST(ProgramDump, ShowsTheTreeWithNamesAndOperands) {
  TestGraph graph;
  const Tensor x = graph.variable(FLOAT, {2, 3}, "x");
  const Tensor y = graph.variable(FLOAT, {6}, "y");
  const Tensor flag = graph.variable(BOOL, {}, "flag");
  const ComputeSet cs = graph.addComputeSet("layer1/forward");
  const DataStream in = graph.addHostToDeviceFIFO("input", FLOAT, 6);
  const Function f = graph.addFunction(Copy(x, y));

  const Sequence program(
      {Copy(in, x), Execute(cs), Repeat(3, Copy(x, y)),
       If(flag, Call(f), Abort("no flag")),
       RepeatWhileTrue(Sequence(), flag, PrintTensor("y", y))},
      "main");
  std::ostringstream text;
  dumpProgram(graph, program, text);
  EXPECT_EQ(text.str(), "Sequence (main)\n"
                        "  Copy 'input' -> x{2,3}\n"
                        "  Execute 'layer1/forward'\n"
                        "  Repeat 3 times\n"
                        "    Copy x{2,3} -> y{6}\n"
                        "  If flag{}\n"
                        "    true: Call function 0\n"
                        "    false: Abort 'no flag'\n"
                        "  RepeatWhileTrue flag{}\n"
                        "    condition: Sequence\n"
                        "    body: PrintTensor 'y' y{6}\n");
}

TEST(ProgramDump, ShowsTheNumberOfWhatTheGraphDoesNotHave) {
  TestGraph graph;
  std::ostringstream text;
  dumpProgram(graph, Execute(ComputeSet(7)), text);
  EXPECT_EQ(text.str(), "Execute #7\n");
}

} // namespace
