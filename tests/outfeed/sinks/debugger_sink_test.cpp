#include "outfeed/sinks/debugger_sink.hpp"
#include "tests/support/read_debug_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using graph::TapMoment;
using graph::TensorKind;
using summary::proto::DebugEvent;
using testing::ElementsAre;
using testing::IsEmpty;

TensorTraits traits(const std::string &name, TensorKind kind,
                    std::vector<std::string> inputs = {}) {
  TensorTraits tensor;
  tensor.name = name;
  tensor.kind = kind;
  tensor.dtype = "half";
  tensor.shape = {4, 2};
  tensor.numElements = 8;
  tensor.derivation.inputs = std::move(inputs);
  return tensor;
}

TensorSample sampleOf(Payload payload, std::uint64_t nan = 0) {
  TensorSample sample;
  sample.payload = payload;
  sample.stats.format = summary::FloatFormat::float16;
  sample.stats.count = 8;
  sample.stats.nan = nan;
  if (payload >= Payload::stats) {
    sample.stats.negative = 1;
    sample.stats.zero = 2;
    sample.stats.positive = 5 - nan;
  }
  return sample;
}

// A program of an input, an activation of it and a weight.
class DebuggerSinkTest : public ::testing::Test {
protected:
  DebuggerSinkTest() {
    std::vector<TensorTraits> tensors{
        traits("input", TensorKind::input),
        traits("acts", TensorKind::activation, {"input", "kernel:0"}),
        traits("kernel:0", TensorKind::weight)};
    tensors[1].stage = 1;
    for (const TensorTraits &tensor : tensors)
      plan.addAlarm(tensor, plan.add(tensor));
    sink.begin(plan);
  }
  const Tap &tap(std::size_t number) const { return plan.taps()[number]; }
  const Tap &alarm(std::size_t number) const { return plan.alarms()[number]; }
  std::vector<DebugEvent> events(const char *ending) const {
    return tests::readDebugEvents(directory.path(), ending);
  }
  // As NAME@UPDATE: the numbers without the tensor's.
  std::vector<std::string> traces() const {
    std::vector<std::string> lines;
    for (const DebugEvent &event : events(summary::debugger_files::kTraces)) {
      const auto &trace = event.graph_execution_trace();
      std::string line =
          trace.op_name() + "@" + std::to_string(event.step()) + ":";
      const auto &values = trace.tensor_proto().int64_val();
      for (int i = 1; i < values.size(); ++i)
        line += " " + std::to_string(values[i]);
      lines.push_back(line);
    }
    return lines;
  }

  const tests::TempDir directory;
  TapPlan plan{{parseTapRule("acts @ every 2")}, TapPlan::Alarms::everywhere};
  DebuggerSink sink{directory.path().string()};
};

TEST_F(DebuggerSinkTest, MakesNoFileBeforeTheFirstSample) {
  sink.flush();
  sink.close({});
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  EXPECT_THAT(sink.reports(), IsEmpty());
}

TEST_F(DebuggerSinkTest, TheOpsAreTheTensorsWithWhatTheyAreComputedFrom) {
  const summary::DebuggedProgram program = debuggedProgram(plan);
  ASSERT_EQ(program.ops.size(), 3u);
  const summary::DebuggedOp &acts = program.ops[1];
  EXPECT_EQ(acts.name, "acts");
  EXPECT_EQ(acts.type, "activation");
  EXPECT_EQ(acts.device, "/device:IPU:1");
  EXPECT_EQ(acts.rank, 2u);
  EXPECT_THAT(acts.inputs, ElementsAre(0, 2))
      << "the kernel is read before it is complete again";
  EXPECT_EQ(program.source.at(acts.line - 1),
            "acts = activation(input, kernel:0)  # half[4,2], stage 1");
}

TEST_F(DebuggerSinkTest, TensorsOfAnUpdateAreInTheOrderOfTheProgram) {
  sink.take(alarm(2), Update(0), sampleOf(Payload::alarm));
  sink.take(alarm(0), Update(0), sampleOf(Payload::alarm));
  sink.take(tap(0), Update(0), sampleOf(Payload::stats, 3));
  sink.flush();
  EXPECT_THAT(traces(),
              ElementsAre("input@0: 8 0 0 0", "acts@0: 2 19 2 8 0 0 3 1 2 2",
                          "kernel@0: 8 0 0 0"));
}

TEST_F(DebuggerSinkTest, ARulesSampleStandsForTheAlarmOfTheSameUpdate) {
  for (const bool alarmFirst : {false, true}) {
    const Update update(alarmFirst ? 2 : 0);
    if (alarmFirst)
      sink.take(alarm(1), update, sampleOf(Payload::alarm));
    sink.take(tap(0), update, sampleOf(Payload::stats));
    if (!alarmFirst)
      sink.take(alarm(1), update, sampleOf(Payload::alarm));
  }
  sink.flush();
  EXPECT_THAT(traces(), ElementsAre("acts@0: 2 19 2 8 0 0 0 1 2 5",
                                    "acts@2: 2 19 2 8 0 0 0 1 2 5"));
}

TEST_F(DebuggerSinkTest, MicroBatchesThatAreKeptApartAreOneTensor) {
  Tap first = tap(0), second = tap(0);
  first.origin = SampleOrigin{0, 0};
  second.origin = SampleOrigin{0, 1};
  sink.take(first, Update(0), sampleOf(Payload::stats));
  sink.take(second, Update(0), sampleOf(Payload::stats, 1));
  sink.flush();
  EXPECT_THAT(traces(), ElementsAre("acts@0: 2 19 2 16 0 0 1 2 4 9"));
}

TEST_F(DebuggerSinkTest, AnAlarmIsWrittenWhenItTellsSomethingNew) {
  for (std::uint32_t update = 0; update < 8; ++update) {
    sink.take(alarm(0), Update(update), sampleOf(Payload::alarm));
    sink.take(alarm(1), Update(update),
              sampleOf(Payload::alarm, update < 4   ? 0
                                       : update < 6 ? 1
                                                    : 2));
  }
  sink.flush();
  EXPECT_THAT(traces(), ElementsAre("input@0: 8 0 0 0", "acts@0: 8 0 0 0",
                                    "input@4: 8 0 0 0", "acts@4: 8 0 0 1",
                                    "acts@6: 8 0 0 2"));
}

TEST_F(DebuggerSinkTest, EachUpdateIsAnExecutionWithTheHealthOfAllTensors) {
  for (std::uint32_t update = 0; update < 3; ++update)
    for (std::size_t number = 0; number < 3; ++number)
      sink.take(alarm(number), Update(update),
                sampleOf(Payload::alarm, update == 1 ? number : 0));
  sink.flush();
  std::vector<std::string> bad;
  for (const DebugEvent &event : events(summary::debugger_files::kExecutions))
    bad.push_back(
        event.execution().op_type() + ": " +
        std::to_string(event.execution().tensor_protos(0).int64_val(1)) + " " +
        std::to_string(event.execution().tensor_protos(0).int64_val(4)));
  EXPECT_THAT(bad, ElementsAre("__inference_update_0: 24 0",
                               "__inference_update_1: 24 3",
                               "__inference_update_2: 24 0"));
}

TEST_F(DebuggerSinkTest, IntendedInfinitiesAlertNobodyButNanDoes) {
  DebuggerSink intended(directory.path().string(), {},
                        {TensorFilter::parse("name:input")});
  intended.begin(plan);
  TensorSample sample = sampleOf(Payload::alarm);
  sample.stats.posInf = 3;
  intended.take(alarm(0), Update(0), sample);
  intended.take(alarm(2), Update(0), sample);
  sample.stats.nan = 1;
  intended.take(alarm(0), Update(1), sample);
  intended.flush();
  EXPECT_THAT(traces(), ElementsAre("input@0: 8 0 0 0", "kernel@0: 8 0 3 0",
                                    "input@1: 8 0 0 1"));
}

TEST_F(DebuggerSinkTest, AnUpdateWaitsForThoseWhoseSamplesComeLate) {
  sink.take(alarm(0), Update(0), sampleOf(Payload::alarm));
  sink.take(alarm(0), Update(1), sampleOf(Payload::alarm));
  sink.take(alarm(1), Update(0), sampleOf(Payload::alarm));
  sink.take(alarm(1), Update(1), sampleOf(Payload::alarm, 1));
  sink.flush();
  EXPECT_THAT(traces(), ElementsAre("input@0: 8 0 0 0", "acts@0: 8 0 0 0",
                                    "input@1: 8 0 0 0", "acts@1: 8 0 0 1"));
}

TEST_F(DebuggerSinkTest, AResumedProgramKeepsTheUpdatesBefore) {
  for (std::uint32_t update = 0; update < 4; update += 2)
    sink.take(tap(0), Update(update), sampleOf(Payload::stats));
  sink.flush();
  DebuggerSink resumed(directory.path().string());
  resumed.begin(plan);
  resumed.resume(Update(2));
  resumed.take(tap(0), Update(2), sampleOf(Payload::stats, 1));
  resumed.flush();
  EXPECT_THAT(traces(), ElementsAre("acts@0: 2 19 2 8 0 0 0 1 2 5",
                                    "acts@2: 2 19 2 8 0 0 1 1 2 4"));
}

TEST_F(DebuggerSinkTest, ALossIsToldAndReported) {
  const std::string file = directory.file("file", "not a directory");
  std::vector<summary::WriteReport> told;
  DebuggerSink broken(file, [&](const summary::WriteReport &report) {
    told.push_back(report);
  });
  broken.begin(plan);
  broken.take(tap(0), Update(0), sampleOf(Payload::stats));
  broken.close({});
  EXPECT_EQ(told.size(), 1u);
  ASSERT_EQ(broken.reports().size(), 1u);
  EXPECT_EQ(broken.reports()[0].what, file);
  EXPECT_EQ(broken.reports()[0].lostRecords, 2u); // a trace, an execution
}

} // namespace
} // namespace popscope::outfeed
