#include "profiled_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iomanip>

using namespace profiletest;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

namespace {

std::string summaryOf(Engine &engine, const OptionFlags &options = {}) {
  std::ostringstream os;
  engine.printProfileSummary(os, options);
  return os.str();
}

} // namespace

TEST(Summary, HasTargetGraphMemoryAndExecution) {
  ProfiledGraph g;
  Engine engine = g.run(Execute(g.add("cs", 0, 0, 10)), {}, 3);
  const std::string text = summaryOf(engine);
  EXPECT_THAT(text, ContainsRegex("Target:\n  Type: +IPU_MODEL \\(ipu2\\)"));
  EXPECT_THAT(text, ContainsRegex("\nGraph:\n  Compute sets: +1\n"));
  EXPECT_THAT(text, HasSubstr("\nMemory Usage:\n"));
  EXPECT_THAT(text, ContainsRegex("\nExecution:\n  Runs: +3\n"));
  EXPECT_THAT(text, HasSubstr("estimates"));
}

TEST(Summary, AddsTheMemoryUp) {
  ProfiledGraph g;
  Engine engine(g.graph, Sequence());
  // Two variables of 8 rows of 16 floats.
  EXPECT_THAT(summaryOf(engine), ContainsRegex("Total: +1,024 B"));
  EXPECT_THAT(summaryOf(engine), HasSubstr("min 128 B, mean 128 B, max 128 B"));
  EXPECT_THAT(summaryOf(engine), ContainsRegex("Balance: +100.0%"));
}

TEST(Summary, NamesATileThatIsTooFull) {
  const Device device = makeDevice(1, 2);
  Graph graph(device.getTarget());
  const Tensor t = graph.addVariable(FLOAT, {1000000}, "huge");
  graph.setTileMapping(t, 1);
  Engine engine(graph, Sequence());
  EXPECT_THAT(summaryOf(engine), ContainsRegex("\n +1 +4,000,000.*not fit"));
}

TEST(Summary, CountsRunsThatWereNotInstrumented) {
  ProfiledGraph g;
  Engine engine = g.run(Repeat(7, Execute(g.add("cs", 0, 1, 60))), {}, 2);
  const std::string text = summaryOf(engine, {{"showExecutionSteps", "true"}});
  EXPECT_THAT(text, ContainsRegex("\n +14 +[0-9,]+ .*OnTileExecute: cs\n"));
  EXPECT_THAT(text, ContainsRegex("\n +14 +16 +224 .* 64  DoExchange: cs\n"));
}

TEST(Summary, ShowsStepsAndVariablesOnlyWhenAsked) {
  ProfiledGraph g;
  Engine engine = g.run(Execute(g.add("cs", 0, 0, 10)), {});
  EXPECT_THAT(summaryOf(engine), Not(HasSubstr("Execution Steps:")));
  EXPECT_THAT(summaryOf(engine), Not(HasSubstr("layer/a")));
  EXPECT_THAT(summaryOf(engine, {{"showVarStorage", "true"}}),
              ContainsRegex("Variable Storage:\n.*\n +512 +8 +64 +float  "
                            "layer/a\n"));
  EXPECT_THROW(summaryOf(engine, {{"showEverything", "true"}}), invalid_option);
}

TEST(Summary, SaysWhenNothingRan) {
  ProfiledGraph g;
  Engine engine(g.graph, Execute(g.add("cs", 0, 0, 10)));
  EXPECT_THAT(summaryOf(engine), ContainsRegex("Runs: +0\n"));
}

TEST(Summary, LeavesTheStreamAsItWas) {
  ProfiledGraph g;
  Engine engine = g.run(Execute(g.add("cs", 0, 0, 10)), {});
  std::ostringstream os;
  os << std::hex;
  engine.printProfileSummary(os);
  os.str("");
  os << 255;
  EXPECT_EQ(os.str(), "ff");
}
