#include "profiled_graph.hpp"

#include <pva/pva.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace profiletest;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

const OptionFlags kInstrument{{"debug.instrument", "true"}};

std::vector<std::string> namesOf(const std::vector<pva::ExecutionStep> &steps) {
  std::vector<std::string> names;
  for (const pva::ExecutionStep &step : steps)
    names.push_back(step.program()->name());
  return names;
}

} // namespace

TEST(Execution, ListsStepsInTheOrderTheyRan) {
  ProfiledGraph g;
  const Program one = Execute(g.add("one", 0, 0, 10));
  const Program two = Execute(g.add("two", 1, 1, 10));
  Engine engine =
      g.run(Sequence{two, Repeat(2, Sequence{one, two})}, kInstrument);
  EXPECT_THAT(namesOf(engine.getReport().execution().steps()),
              ElementsAre("two", "one", "two", "one", "two"));
}

TEST(Execution, StepsFollowEachOtherWithoutGaps) {
  ProfiledGraph g;
  Engine engine = g.run(Repeat(3, Execute(g.add("cs", 0, 1, 60))), kInstrument);
  const auto steps = engine.getReport().execution().steps();
  ASSERT_EQ(steps.size(), 6u); // an exchange before each
  std::uint64_t cycle = 0;
  for (const pva::ExecutionStep &step : steps) {
    ASSERT_EQ(step.ipus().size(), 2u);
    const pva::ExecutionStepIpu ipu = step.ipus()[0];
    EXPECT_EQ(ipu.activeCycles().cyclesFrom().min(), cycle);
    EXPECT_GT(ipu.cycles(), 0u);
    cycle = ipu.activeCycles().cyclesTo().max();
  }
  const auto runs = engine.getReport().execution().runs();
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_THAT(runs[0].cyclesByIpu(), ElementsAre(cycle, cycle));
  EXPECT_EQ(engine.getReport().execution().totalCycles(), cycle);
  for (const pva::ExecutionStep &step : steps)
    EXPECT_EQ(step.name(), step.program()->name());
}

TEST(Execution, ChargesAVertexToItsTile) {
  ProfiledGraph g;
  Engine engine = g.run(Execute(g.add("cs", 6, 6, 600)), kInstrument);
  const auto steps = engine.getReport().execution().steps();
  ASSERT_EQ(steps.size(), 1u);
  // The time of one worker out of six, not shared with others.
  EXPECT_THAT(steps[0].cyclesByTile(), ElementsAre(0, 0, 0, 0, 0, 0, 100, 0));
  ASSERT_EQ(steps[0].computeSets().size(), 1u);
  EXPECT_EQ(steps[0].computeSets()[0].cyclesByTile(), steps[0].cyclesByTile());
  EXPECT_GE(steps[0].ipus()[1].cycles(), 100u);
}

TEST(Execution, CountsBytesWhereTheyLeaveAndArrive) {
  ProfiledGraph g;
  Engine engine = g.run(Execute(g.add("far", 1, 6, 10)), kInstrument);
  const auto steps = engine.getReport().execution().steps();
  ASSERT_EQ(steps.size(), 2u);
  const auto ipus = steps[0].ipus();
  const std::uint64_t row = ProfiledGraph::kRow * sizeof(float);
  EXPECT_EQ(ipus[0].dataIn(), row);
  EXPECT_EQ(ipus[0].dataOut(), 0u);
  EXPECT_EQ(ipus[1].dataIn(), 0u);
  EXPECT_EQ(ipus[1].dataOut(), row);
  EXPECT_EQ(steps[1].ipus()[0].dataIn(), 0u);
}

TEST(Execution, TransfersToTheHostHaveThreePhases) {
  ProfiledGraph g;
  const DataStream out =
      g.graph.addDeviceToHostFIFO("out", FLOAT, ProfiledGraph::kRow);
  Engine engine(g.graph, Copy(g.b[2], out), kInstrument);
  std::vector<float> host(ProfiledGraph::kRow);
  engine.connectStream("out", host.data());
  engine.load(g.device);
  engine.run();
  const auto steps = engine.getReport().execution().steps();
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].program()->type(), pva::Program::Type::StreamCopyBegin);
  EXPECT_EQ(steps[1].program()->type(), pva::Program::Type::StreamCopyMid);
  EXPECT_EQ(steps[2].program()->type(), pva::Program::Type::StreamCopyEnd);
  EXPECT_EQ(steps[1].ipus()[0].dataOut(), ProfiledGraph::kRow * sizeof(float));
  EXPECT_EQ(steps[1].ipus()[0].dataIn(), 0u);
}

TEST(Execution, RecordsOnlyTheFirstRunsOfAProgram) {
  ProfiledGraph g;
  const Program program = Execute(g.add("cs", 0, 0, 10));
  EXPECT_EQ(
      g.run(program, kInstrument, 5).getReport().execution().runs().size(), 2u);
  const auto runs = g.run(program,
                          {{"debug.instrument", "true"},
                           {"autoReport.executionProfileProgramRunCount", "3"}},
                          5)
                        .getReport()
                        .execution()
                        .runs();
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[2].name(), "run 2");
  EXPECT_EQ(runs[2].steps().size(), 1u);
  EXPECT_TRUE(runs[2].isComplete());
}

TEST(Execution, IsForgottenOnReset) {
  ProfiledGraph g;
  Engine engine = g.run(Execute(g.add("cs", 0, 0, 10)), kInstrument, 2);
  engine.resetExecutionProfile();
  EXPECT_TRUE(engine.getReport().execution().steps().empty());
  engine.run();
  EXPECT_EQ(engine.getReport().execution().steps().size(), 1u);
}

TEST(Execution, IsNotRecordedWhileProfilingIsDisabled) {
  ProfiledGraph g;
  Engine engine(g.graph, Execute(g.add("cs", 0, 0, 10)), kInstrument);
  engine.load(g.device);
  engine.disableExecutionProfiling();
  engine.run();
  EXPECT_TRUE(engine.getReport().execution().runs().empty());
  engine.enableExecutionProfiling();
  engine.run();
  EXPECT_EQ(engine.getReport().execution().runs().size(), 1u);
}

TEST(Execution, OfARunThatFailedEndsWhereItFailed) {
  ProfiledGraph g;
  Engine engine(g.graph,
                Sequence{Execute(g.add("cs", 0, 0, 10)), Abort("stop")},
                kInstrument);
  engine.load(g.device);
  EXPECT_THROW(engine.run(), poplar::runtime_error);
  EXPECT_THAT(namesOf(engine.getReport().execution().steps()),
              ElementsAre("cs"));
}

TEST(Execution, WithoutInstrumentationSaysWhichOptionToSet) {
  ProfiledGraph g;
  Engine engine = g.run(Execute(g.add("cs", 0, 0, 10)), {});
  const pva::Execution execution = engine.getReport().execution();
  try {
    execution.steps();
    FAIL() << "there were steps";
  } catch (const std::runtime_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("debug.instrument"));
  }
}

TEST(Execution, CanBeLeftOut) {
  ProfiledGraph g;
  Engine engine = g.run(Execute(g.add("cs", 0, 0, 10)), kInstrument);
  EXPECT_THROW(engine.getReport(false).execution(), std::runtime_error);
}

TEST(Execution, DoesNotChangeResults) {
  const auto resultOf = [](const OptionFlags &options) {
    ProfiledGraph g;
    g.graph.setInitialValue(g.a, 3.0f);
    g.graph.createHostRead("b", g.b);
    Engine engine =
        g.run(Block(Execute(g.add("cs", 0, 1, 10)), "block"), options);
    std::vector<float> b(g.b.numElements());
    engine.readTensor("b", b.data(), b.data() + b.size());
    return b;
  };
  EXPECT_EQ(resultOf({}), resultOf({{"debug.instrument", "true"},
                                    {"profiler.blocks.filter", ".*"}}));
}
