// The flight recorder: what came before an event.
#include "outfeed/sinks/event_sink.hpp"
#include "tests/outfeed/fed_program.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tests::constant;
using tests::FedOptions;
using tests::FedProgram;
using tests::Heard;
using tests::Values;

std::vector<std::uint32_t> from(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> updates(last - first + 1);
  std::iota(updates.begin(), updates.end(), first);
  return updates;
}

FedOptions recording(unsigned updates,
                     std::vector<std::string> names = {"x", "y"}) {
  FedOptions options;
  options.names = std::move(names);
  options.taps.recorderUpdates = updates;
  options.taps.health = true;
  return options;
}

// Each value is the number of the execution, but for `special` at `execution`.
Values countingUpTo(unsigned execution, float special) {
  return [=](unsigned, unsigned e) {
    return constant(e == execution ? special : float(e));
  };
}

TEST(Recorder, HasExactlyTheUpdatesUpToTheEvent) {
  FedProgram program({"y when abs_max>1e6"}, countingUpTo(137, 1e7f),
                     recording(16));
  program.run(150);
  program.collectIfStopped();
  const Heard heard = program.close();
  EXPECT_EQ(heard.recordedUpdates("x"), from(122, 137));
  for (const Heard::Sample &sample : heard.recorded)
    EXPECT_EQ(sample.sample.stats.mean,
              sample.update == 137 ? 1e7 : double(sample.update));
  EXPECT_THAT(heard.updates("y"), ElementsAre(137));
  EXPECT_EQ(heard.recordedUpdates("y"), from(122, 136))
      << "what was sent is not given again";
}

TEST(Recorder, HasThemHoweverManyUpdatesARunHas) {
  for (const unsigned perRun : {1u, 7u, 150u}) {
    FedOptions options = recording(16);
    options.executionsPerRun = perRun;
    FedProgram program({"y when abs_max>1e6"}, countingUpTo(137, 1e7f),
                       options);
    program.run(150);
    program.collectIfStopped();
    EXPECT_EQ(program.close().recordedUpdates("x"), from(122, 137)) << perRun;
  }
}

TEST(Recorder, TheFirstTensorThatIsNotFiniteIsAnEvent) {
  FedProgram program({}, countingUpTo(137, std::nanf("")), recording(16));
  program.run(150);
  program.collectIfStopped();
  EXPECT_EQ(program.heard().recordedUpdates("x"), from(122, 137));
  EXPECT_EQ(program.heard().recordedUpdates("y"), from(122, 137));
  EXPECT_EQ(program.heard().recorded.back().sample.stats.nan, 64u);
}

TEST(Recorder, ATensorThatStaysNotFiniteIsNoFurtherEvent) {
  FedProgram program(
      {},
      [](unsigned, unsigned e) { return constant(e < 20 ? 1 : std::nanf("")); },
      recording(4, {"x"}));
  program.run(22);
  program.collectIfStopped();
  EXPECT_EQ(program.heard().recordedUpdates(), from(17, 20));
  program.run(10);
  program.collectIfStopped();
  EXPECT_EQ(program.heard().recorded.size(), 4u);
  program.collect();
  std::vector<std::uint32_t> all = from(17, 20);
  for (const std::uint32_t update : from(28, 31))
    all.push_back(update);
  EXPECT_EQ(program.close().recordedUpdates(), all);
}

TEST(Recorder, IntendedInfinitiesAreNoEvent) {
  FedOptions options = recording(4, {"x"});
  options.taps.infinitiesIntended = {TensorFilter::parse("x")};
  FedProgram program({}, countingUpTo(10, INFINITY), options);
  program.run(20);
  EXPECT_FALSE(program.taps().hasRecordedEvent());
  program.collect();
  EXPECT_EQ(program.close().recordedUpdates(), from(16, 19));
}

TEST(Recorder, AShortRunHasAllItsUpdates) {
  FedProgram program({"y @ every 2"}, countingUpTo(0, 0), recording(16));
  program.run(5);
  EXPECT_EQ(program.collect(), 5u + 2u);
  EXPECT_EQ(program.heard().recordedUpdates("x"), from(0, 4));
  EXPECT_THAT(program.heard().recordedUpdates("y"), ElementsAre(1, 3));
  EXPECT_EQ(program.collect(), 0u) << "nothing is given twice";
  program.run(2);
  EXPECT_EQ(program.collect(), 2u + 1u);
  EXPECT_EQ(program.close().recordedUpdates("x"), from(0, 6));
}

TEST(Recorder, SendsNothingAndNeedsNoHealth) {
  FedOptions options = recording(8);
  options.taps.health = false;
  FedProgram program({"x @ updates 1000 -> full", "y when max<0"},
                     countingUpTo(0, 0), options);
  program.run(20);
  program.collect();
  const Heard heard = program.close();
  EXPECT_EQ(heard.report.frames, 0u);
  EXPECT_EQ(heard.recordedUpdates("x"), from(12, 19));
  EXPECT_EQ(heard.recordedUpdates("y"), from(12, 19));
}

TEST(Recorder, GoesOnAfterEveryEvent) {
  FedProgram program(
      {"x when zero_share==1"},
      [](unsigned, unsigned e) { return constant(e % 20 == 19 ? 0 : 1); },
      recording(4));
  for (unsigned run = 0; run < 60; ++run) {
    program.run(1);
    program.collectIfStopped();
  }
  EXPECT_THAT(program.close().recordedUpdates("y"),
              ElementsAre(16, 17, 18, 19, 36, 37, 38, 39, 56, 57, 58, 59));
}

TEST(Recorder, AnEventInOneReplicaStopsAll) {
  FedOptions options = recording(4);
  options.replicas = 2;
  for (const bool isAlarm : {false, true}) {
    FedProgram program(
        isAlarm ? std::vector<std::string>{}
                : std::vector<std::string>{"y when abs_max>1e6"},
        [=](unsigned replica, unsigned e) {
          return constant(replica == 1 && e == 9
                              ? isAlarm ? std::nanf("") : 1e7f
                              : float(e));
        },
        options);
    program.run(15);
    program.collectIfStopped();
    const Heard heard = program.close();
    EXPECT_EQ(heard.recordedUpdates("x"), from(6, 9));
    for (const Heard::Sample &sample : heard.recorded)
      EXPECT_EQ(sample.sample.parts, 2u);
  }
}

TEST(Recorder, AnUpdateHasAllItsMicroBatches) {
  FedOptions options = recording(3, {"x"});
  options.taps.microBatchesPerUpdate = 4;
  // Micro-batch 1 of update 7: the other two of the update are recorded too.
  FedProgram program({"x when abs_max>1e6 -> alarm"}, countingUpTo(29, 1e7f),
                     options);
  program.run(48);
  program.collectIfStopped();
  const Heard heard = program.close();
  EXPECT_EQ(heard.recordedUpdates(), from(5, 7));
  for (const Heard::Sample &sample : heard.recorded)
    EXPECT_EQ(sample.sample.parts, 4u);
}

TEST(Recorder, RingsAreSpreadOverTiles) {
  FedOptions options = recording(16, {});
  for (unsigned i = 0; i < 40; ++i)
    options.names.push_back("x" + std::to_string(i));
  FedProgram program({}, countingUpTo(0, 0), options);
  const TapProgram &taps = program.taps().program();
  EXPECT_EQ(taps.rings().size(), 4u);
  EXPECT_LE(taps.ringBytesOfATile(), graph::kMostRingBytes + 16 * 4);
  program.run(3);
  EXPECT_EQ(program.collect(), 40u * 3);
}

TEST(Recorder, ItsPointsAreARunBesideTheOthers) {
  const popscope::tests::TempDir directory;
  FedOptions options = recording(4, {"x"});
  options.sinks = {
      [&] { return std::make_unique<EventSink>(directory.path().string()); }};
  FedProgram program({"x when abs_max>1e6"}, countingUpTo(9, 1e7f), options);
  program.run(12);
  program.collectIfStopped();
  program.close();
  const std::string tag = "tapped_activations/x/mean";
  EXPECT_THAT(
      popscope::tests::stepsOf(popscope::tests::readRun(directory.path()), tag),
      ElementsAre(9));
  EXPECT_THAT(popscope::tests::stepsOf(
                  popscope::tests::readRun(directory.path() / "recorder"), tag),
              ElementsAre(6, 7, 8));
}

} // namespace
} // namespace popscope::outfeed
