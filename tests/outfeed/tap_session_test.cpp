#include "tests/outfeed/memory_sink.hpp"
#include "tests/outfeed/tripled_program.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using tests::kElements;
using tests::MemorySink;
using tests::Told;
using tests::TripledProgram;

struct Watched {
  std::vector<Told> told;
  TapReport report;
};

// `first` is the step at which an earlier start of the program ended.
Watched watch(const std::vector<std::string> &rules, unsigned runs,
              const TapOptions &options = {}, std::uint32_t first = 0) {
  std::vector<TapRule> parsed;
  for (const std::string &rule : rules)
    parsed.push_back(parseTapRule(rule));
  Watched watched;
  TapSession taps(parsed, options);
  taps.addSink(std::make_unique<MemorySink>(watched.told));
  TripledProgram program(&taps);
  program.load(&taps);
  if (first != 0)
    program.resumeAt(taps, first);
  program.run(runs);
  watched.report = taps.close();
  return watched;
}

using Point = std::pair<std::string, std::int64_t>;

std::vector<Point> namesAndSteps(const Watched &watched) {
  std::vector<Point> result;
  for (const Told &told : watched.told)
    result.emplace_back(told.name, told.step);
  return result;
}

TEST(TapSession, TellsWhatEachTensorWasWhereItWasVisited) {
  const Watched watched = watch({"x", "y"}, 2);
  ASSERT_EQ(watched.told.size(), 4u);
  const summary::TensorStats &first = watched.told[0].sample.stats;
  EXPECT_EQ(watched.told[0].name, "x");
  EXPECT_EQ(first.count, kElements);
  EXPECT_EQ(first.zero, 1u);
  EXPECT_NEAR(first.mean, 0.4999, 1e-6);
  // Before it was tripled, at both steps.
  EXPECT_FLOAT_EQ(float(first.max), 0.9998f);
  for (const Told &told : watched.told)
    if (told.name == "x" && told.step == 1) {
      EXPECT_FLOAT_EQ(float(told.sample.stats.max), 3 * 0.9998f);
    }
  EXPECT_TRUE(watched.report.isWhole());
  EXPECT_EQ(watched.report.frames, 2u);
}

TEST(TapSession, ATapThatIsNotDueSendsNothing) {
  const Watched watched = watch({"x @ every 3 from 1", "y @ steps 0,4"}, 7);
  EXPECT_EQ(watched.report.frames, 4u);
  EXPECT_THAT(namesAndSteps(watched),
              testing::UnorderedElementsAre(Point("x", 1), Point("x", 4),
                                            Point("y", 0), Point("y", 4)));
}

TEST(TapSession, ResumedSchedulesGoOnWhereTheyWere) {
  const std::vector<std::string> rules{"x @ every 3 from 1 until 8 steps 5",
                                       "y @ every 2 -> full"};
  TapOptions options;
  options.microBatchesPerUpdate = 2;
  std::vector<Point> whole = namesAndSteps(watch(rules, 20, options));
  std::vector<Point> parts = namesAndSteps(watch(rules, 8, options));
  for (const Point &point : namesAndSteps(watch(rules, 12, options, 4)))
    parts.push_back(point);
  std::sort(whole.begin(), whole.end());
  std::sort(parts.begin(), parts.end());
  EXPECT_THAT(whole, ElementsAre(Point("x", 1), Point("x", 4), Point("x", 5),
                                 Point("x", 7), Point("y", 0), Point("y", 2),
                                 Point("y", 4), Point("y", 6), Point("y", 8)));
  EXPECT_EQ(parts, whole);
}

TEST(TapSession, MicroBatchesOfAnUpdateAreOnePoint) {
  TapOptions options;
  options.microBatchesPerUpdate = 4;
  const Watched watched = watch({"y"}, 8, options);
  EXPECT_THAT(namesAndSteps(watched),
              ElementsAre(Point("y", 0), Point("y", 1)));
  const TensorSample &sample = watched.told[0].sample;
  EXPECT_EQ(sample.parts, 4u);
  EXPECT_EQ(sample.stats.count, 4 * kElements / 2);
  EXPECT_NEAR(sample.stats.mean, 0.0, 1e-6); // its sign turns every time
}

TEST(TapSession, MicroBatchesAreKeptApartWhenAsked) {
  TapOptions options;
  options.microBatchesPerUpdate = 2;
  options.fold = Fold::apart;
  const Watched watched = watch({"y"}, 4, options);
  ASSERT_EQ(watched.told.size(), 4u);
  EXPECT_EQ(watched.told[0].name, "y");
  EXPECT_EQ(watched.told[0].tag, "y_per_micro_batch/replica_0/micro_batch_0");
  EXPECT_EQ(watched.told[1].tag, "y_per_micro_batch/replica_0/micro_batch_1");
  EXPECT_LT(watched.told[0].sample.stats.mean, 0);
  for (const Told &told : watched.told)
    EXPECT_EQ(told.sample.parts, 1u);
}

TEST(TapSession, FullTensorsGiveTheSameStatisticsAsRecords) {
  const Watched records = watch({"x -> shape"}, 3);
  const Watched full = watch({"x -> full"}, 3);
  EXPECT_EQ(namesAndSteps(records), namesAndSteps(full));
  for (std::size_t i = 0; i < records.told.size(); ++i) {
    const auto &a = records.told[i].sample.stats,
               &b = full.told[i].sample.stats;
    EXPECT_EQ(a.count, b.count);
    EXPECT_EQ(a.zero, b.zero);
    EXPECT_EQ(a.max, b.max);
    EXPECT_EQ(a.argMax, b.argMax);
    EXPECT_NEAR(a.mean, b.mean, 1e-6 * b.mean);
    EXPECT_NEAR(a.standardDeviation(), b.standardDeviation(),
                1e-5 * b.standardDeviation());
    EXPECT_EQ(a.exponents[126], b.exponents[126]);
  }
  EXPECT_EQ(full.report.bytes, 3 * kElements * sizeof(float));
  EXPECT_LT(records.report.bytes * 10, full.report.bytes);
}

TEST(TapSession, FullTensorsWithAScheduleKnowTheirUpdates) {
  EXPECT_THAT(namesAndSteps(watch({"x @ every 2 from 1 -> full"}, 5)),
              ElementsAre(Point("x", 1), Point("x", 3)));
}

TEST(TapSession, AddsNothingForTensorsNoRuleWants) {
  const TripledProgram plain(nullptr);
  TapSession nothing({});
  EXPECT_EQ(TripledProgram(&nothing).graphBytes(), plain.graphBytes());
  EXPECT_TRUE(nothing.program().sources().empty());

  TapSession onlyX({parseTapRule("x")});
  EXPECT_NE(TripledProgram(&onlyX).graphBytes(), plain.graphBytes());
  EXPECT_EQ(onlyX.program().sources().size(), 1u);
}

TEST(TapSession, WatchingChangesNothing) {
  const auto results = [](TapSession *taps) {
    TripledProgram program(taps);
    program.load(taps);
    program.run(9);
    return std::make_pair(program.read("x", kElements),
                          program.read("y", kElements / 2));
  };
  const auto quiet = results(nullptr);
  TapSession some({parseTapRule("x @ every 2 -> identity")});
  TapSession all({parseTapRule("x -> full"), parseTapRule("y -> shape")});
  EXPECT_EQ(results(&some), quiet);
  EXPECT_EQ(results(&all), quiet);
}

TEST(TapSession, ARuleThatMatchesNothingIsAnError) {
  EXPECT_THROW(watch({"z"}, 1), std::invalid_argument);
}

TEST(TapSession, AMissingFlushIsAnError) {
  for (const char *rule : {"late", "late -> full"}) {
    TapSession taps({parseTapRule("x"), parseTapRule(rule)});
    TripledProgram program(&taps);
    program.visitLate(taps, poplar::FLOAT);
    EXPECT_THROW(program.load(&taps), std::logic_error) << rule;
  }
}

TEST(TapSession, TypesThatCannotBeSummarisedAreRefusedInFullToo) {
  for (const char *rule : {"late", "late -> full"}) {
    TapSession taps({parseTapRule(rule)});
    TripledProgram program(&taps);
    EXPECT_THROW(program.visitLate(taps, poplar::BOOL), std::invalid_argument)
        << rule;
  }
}

TEST(TapSession, KnowsBeforehandHowManyBytesWillCross) {
  for (const char *rule : {"*", "* @ every 3 -> identity", "x -> full"}) {
    TapOptions options;
    options.microBatchesPerUpdate = 2;
    TapSession taps({parseTapRule(rule)}, options);
    TripledProgram program(&taps);
    program.load(&taps);
    program.run(2 * 6);
    EXPECT_EQ(6 * taps.bytesPerUpdate(), taps.close().bytes) << rule;
  }
}

TEST(TapSession, SyncTellsAllSoFar) {
  std::vector<Told> told;
  TapSession taps({parseTapRule("x")});
  taps.addSink(std::make_unique<MemorySink>(told));
  TripledProgram program(&taps);
  program.load(&taps);
  program.run(5);
  taps.sync();
  EXPECT_EQ(told.size(), 5u);
  program.run(2);
  taps.sync();
  EXPECT_EQ(told.size(), 7u);
}

TEST(TapSession, TapsOfAUnitShareOneStream) {
  TapSession taps({parseTapRule("*")});
  TripledProgram program(&taps, 20);
  ASSERT_EQ(taps.program().sources().size(), 1u);
  EXPECT_EQ(taps.program().sources()[0].records.size(), 21u);
}

TEST(TapSession, HasRoomForAThousandTaps) {
  std::vector<Told> told;
  TapSession taps({parseTapRule("* -> shape")});
  taps.addSink(std::make_unique<MemorySink>(told));
  TripledProgram program(&taps, 1000);
  program.load(&taps);
  program.run(2);
  EXPECT_EQ(taps.close().frames, 2u);
  EXPECT_EQ(told.size(), 2u * 1001);
}

} // namespace
} // namespace popscope::outfeed
