// Rules with a condition, judged on the device.
#include "outfeed/sinks/statistic.hpp"
#include "tests/outfeed/fed_program.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using tests::constant;
using tests::FedOptions;
using tests::FedProgram;
using tests::Heard;
using tests::Values;

Heard run(const std::vector<std::string> &rules, const Values &values,
          unsigned executions, const FedOptions &options = {}) {
  FedProgram program(rules, values, options);
  program.run(executions);
  return program.close();
}

// The first element is given, the others are 0.
std::vector<float> spike(float value) {
  std::vector<float> values = constant(0);
  values[0] = value;
  return values;
}

// At these updates abs_max is 100, else 1.
Values spikesAt(std::set<unsigned> updates) {
  return [updates = std::move(updates)](unsigned, unsigned execution) {
    return spike(updates.count(execution) != 0 ? 100.0f : 1.0f);
  };
}

TEST(Triggers, ExactlyWhatFiresIsSent) {
  const Heard heard = run({"x when abs_max>10"}, spikesAt({3, 4, 9, 19}), 20);
  EXPECT_THAT(heard.updates(), ElementsAre(3, 4, 9, 19));
  EXPECT_EQ(heard.report.frames, 4u);
  EXPECT_EQ(heard.report.bytes, 4 * sizeof(unsigned) *
                                    (kFrameHeaderWords + kEvidenceWords +
                                     rowWords(StatsTier::stats)));
  EXPECT_TRUE(heard.report.isWhole());
  EXPECT_EQ(heard.samples[0].sample.stats.max, 100.0);
  EXPECT_EQ(heard.firings.front(), "replica 0, update 3: x: abs_max 100 > 10");
}

TEST(Triggers, AConditionThatNeverHoldsSendsNoByte) {
  const Heard heard =
      run({"x when abs_max>1000", "y when abs_max>1000 -> full"},
          spikesAt({3, 4}), 20, {{"x", "y"}});
  EXPECT_EQ(heard.report.frames, 0u);
  EXPECT_EQ(heard.report.bytes, 0u);
}

TEST(Triggers, OneTensorFiresWithoutTheOthersOfItsUnit) {
  FedOptions options;
  options.names = {"x", "y", "z"};
  const Heard heard = run({"* when abs_max>10", "y when abs_max<10"},
                          spikesAt({2}), 4, options);
  EXPECT_THAT(heard.updates("x"), ElementsAre(2));
  EXPECT_THAT(heard.updates("y"), ElementsAre(0, 1, 3));
  EXPECT_THAT(heard.updates("z"), ElementsAre(2));
  EXPECT_EQ(heard.report.frames, 5u);
}

TEST(Triggers, AShareIsWholeOnlyIfEveryElementCounts) {
  // One of 2^24 + 1 is not zero: its share rounds to 1.
  const unsigned count = (1u << 24) + 1;
  StatsRow row = emptyRow();
  row.zero = count - 1;
  EXPECT_LT(valueOf(Statistic::zeroShare, row, count), 1.0f);
  row.zero = count;
  EXPECT_EQ(valueOf(Statistic::zeroShare, row, count), 1.0f);
}

TEST(Triggers, ForSendsSoManyUpdatesAndIsArmedAgain) {
  // 12 is within the fifty of 5; 55 is the first after them.
  const Heard heard = run({"x when abs_max>10 -> alarm for 50"},
                          spikesAt({5, 12, 55, 200}), 220);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t u = 5; u < 105; ++u)
    expected.push_back(u);
  for (std::uint32_t u = 200; u < 220; ++u)
    expected.push_back(u);
  EXPECT_EQ(heard.updates(), expected);
  EXPECT_EQ(heard.report.frames, expected.size());
  EXPECT_THAT(heard.firings,
              ElementsAre("replica 0, update 5: x: abs_max 100 > 10",
                          "replica 0, update 12: x: abs_max 100 > 10",
                          "replica 0, update 55: x: abs_max 100 > 10",
                          "replica 0, update 200: x: abs_max 100 > 10"));
}

TEST(Triggers, AThousandFiringsAreAThousandTransfers) {
  FedOptions options;
  options.executionsPerRun = 100;
  const Heard heard = run(
      {"x when abs_max>10"},
      [](unsigned, unsigned e) { return spike(e % 2 == 0 ? 100 : 1); }, 2000,
      options);
  EXPECT_EQ(heard.report.frames, 1000u);
  EXPECT_EQ(heard.updates().size(), 1000u);
  EXPECT_EQ(heard.updates().back(), 1998u);
}

TEST(Triggers, TheRunningMeanIsFormedAsDocumented) {
  constexpr unsigned kUpdates = 300;
  const auto value = [](unsigned update) {
    const float level = 1 + float(update % 7) * 0.1f;
    return update % 50 == 3 ? 20 * level : update > 200 ? 5 * level : level;
  };
  std::vector<std::uint32_t> expected;
  float mean = 0;
  for (unsigned u = 0; u < kUpdates; ++u) {
    if (u >= 8 && value(u) > 3 * mean)
      expected.push_back(u);
    mean += (value(u) - mean) / float(std::min(u + 1, 64u));
  }
  EXPECT_THAT(expected, testing::Not(testing::Contains(3u)))
      << "the first updates cannot fire";
  EXPECT_THAT(expected, testing::Contains(53u));
  EXPECT_GT(expected.size(), 8u) << "a new level fires until it is the mean";
  EXPECT_LT(expected.size(), 50u);
  const Heard heard = run(
      {"x when abs_max>3*mean -> alarm"},
      [&](unsigned, unsigned e) { return spike(value(e)); }, kUpdates);
  EXPECT_EQ(heard.updates(), expected);
}

TEST(Triggers, AnInfinityExceedsTheMeanAndIsNoPartOfIt) {
  const Heard heard = run(
      {"x when abs_max>3*mean"},
      [](unsigned, unsigned e) {
        return spike(e == 20 ? INFINITY : e == 25 ? 10 : 1);
      },
      30);
  EXPECT_THAT(heard.updates(), ElementsAre(20, 25));
}

TEST(Triggers, UnchangedMeansEveryElement) {
  // From 3 to 5 nothing changes; at 8 two elements change places, so that all
  // statistics but their places stay.
  const auto values = [](unsigned, unsigned e) {
    std::vector<float> values = constant(float(e));
    if (e >= 3 && e <= 5)
      values = constant(3);
    if (e == 7)
      values[0] = 1, values[10] = 2, values[11] = 0.5f;
    if (e == 8)
      values = constant(7), values[0] = 1, values[10] = 0.5f, values[11] = 2;
    return values;
  };
  const Heard heard = run({"x when unchanged"}, values, 12);
  EXPECT_THAT(heard.updates(), ElementsAre(4, 5));
  EXPECT_EQ(heard.firings.front(), "replica 0, update 4: x: unchanged");
}

TEST(Triggers, AndBindsMoreThanOr) {
  const auto values = [](unsigned, unsigned e) {
    return std::vector<float>{e & 1 ? 1.0f : 0.0f, e & 2 ? -1.0f : 0.0f,
                              e & 4 ? INFINITY : 0.0f, 0.0f};
  };
  FedOptions options;
  options.elements = 4;
  const Heard heard =
      run({"x when max>0 and min<0 or pos_inf>0"}, values, 8, options);
  EXPECT_THAT(heard.updates(), ElementsAre(3, 4, 5, 6, 7));
  EXPECT_EQ(heard.firings.back(), "replica 0, update 7: x: max inf > 0")
      << "the first alternative that holds is told";
}

TEST(Triggers, AScheduleSaysWhenTheConditionIsLookedAt) {
  const Heard heard =
      run({"x @ every 3 when abs_max>10 -> full"}, spikesAt({3, 4, 9, 10}), 12);
  EXPECT_THAT(heard.updates(), ElementsAre(3, 9));
}

TEST(Triggers, AFullTensorIsCopiedBeforeItIsOverwritten) {
  for (const bool lasting : {false, true}) {
    FedOptions options;
    options.lasting = lasting;
    const Heard heard =
        run({"x when abs_max>10 -> full"}, spikesAt({2, 7}), 9, options);
    EXPECT_EQ(heard.report.frames, 2u);
    ASSERT_EQ(heard.elements.size(), 2u);
    EXPECT_EQ(heard.elements[1].update, 7u);
    ASSERT_EQ(heard.elements[1].bytes.size(), 64 * sizeof(float));
    EXPECT_EQ(std::memcmp(heard.elements[1].bytes.data(), spike(100).data(),
                          64 * sizeof(float)),
              0);
    EXPECT_THAT(heard.updates(), ElementsAre(2, 7));
    EXPECT_EQ(heard.samples[0].sample.stats.max, 100.0);
    EXPECT_EQ(heard.firings.front(),
              "replica 0, update 2: x: abs_max 100 > 10");
  }
}

TEST(Triggers, AFullTensorMayBeOfHalves) {
  FedOptions options;
  options.type = poplar::HALF;
  const Heard heard =
      run({"x when abs_max>10 -> full"}, spikesAt({70000}), 1, options);
  EXPECT_EQ(heard.report.frames, 0u);
  const Heard fired =
      run({"x when abs_max>=1 -> full"}, spikesAt({3}), 5, options);
  ASSERT_EQ(fired.elements.size(), 5u);
  EXPECT_EQ(fired.elements[3].update, 3u);
  std::uint16_t first;
  std::memcpy(&first, fired.elements[3].bytes.data(), sizeof first);
  EXPECT_EQ(first, 0x5640u); // 100
  EXPECT_EQ(fired.elements[3].bytes.size(), 64 * sizeof first);
}

TEST(Triggers, WhereOneReplicaFiresAllSend) {
  FedOptions options;
  options.replicas = 2;
  const Values values = [](unsigned replica, unsigned e) {
    return spike((replica == 0 && e == 3) || (replica == 1 && e == 6) || e == 8
                     ? 100
                     : 1);
  };
  const Heard heard = run({"x when abs_max>10"}, values, 10, options);
  EXPECT_THAT(heard.updates(), ElementsAre(3, 6, 8));
  EXPECT_EQ(heard.report.frames, 6u);
  for (const Heard::Sample &sample : heard.samples)
    EXPECT_EQ(sample.sample.parts, 2u);
  EXPECT_EQ(heard.samples[0].sample.stats.max, 100.0);
  EXPECT_THAT(heard.firings, testing::UnorderedElementsAre(
                                 "replica 0, update 3: x: abs_max 100 > 10",
                                 "replica 1, update 6: x: abs_max 100 > 10",
                                 "replica 0, update 8: x: abs_max 100 > 10",
                                 "replica 1, update 8: x: abs_max 100 > 10"));

  const Heard full = run({"x when abs_max>10 -> full"}, values, 10, options);
  EXPECT_EQ(full.elements.size(), 6u);
}

TEST(Triggers, ReplicasAreArmedAgainTogether) {
  FedOptions options;
  options.replicas = 2;
  // The other replica's condition holds within the three updates: that does not
  // lengthen them.
  const Heard heard = run(
      {"x when abs_max>10 -> stats for 3"},
      [](unsigned replica, unsigned e) {
        return spike(e == (replica == 0 ? 3u : 5u) ? 100 : 1);
      },
      10, options);
  EXPECT_THAT(heard.updates(), ElementsAre(3, 4, 5));
}

TEST(Triggers, MicroBatchesAreJudgedOneByOne) {
  FedOptions options;
  options.taps.microBatchesPerUpdate = 4;
  // Executions 5 and 6 are micro-batches 1 and 2 of update 1.
  const Heard heard =
      run({"x when abs_max>10"}, spikesAt({5, 6, 14}), 16, options);
  EXPECT_THAT(heard.updates(), ElementsAre(1, 3));
  EXPECT_EQ(heard.samples[0].sample.parts, 2u);
  EXPECT_EQ(heard.report.frames, 3u);

  const Heard rest =
      run({"x when abs_max>10 -> stats for 2"}, spikesAt({5}), 24, options);
  EXPECT_THAT(rest.updates(), ElementsAre(1, 2));
  EXPECT_EQ(rest.report.frames, 3u + 4u)
      << "the rest of the update, and the next one";
}

TEST(Triggers, AnArmedTensorIsStillWatchedForHealthAndReadOnce) {
  FedOptions options;
  options.taps.health = true;
  FedProgram program(
      {"x when abs_max>10 -> alarm"},
      [](unsigned, unsigned e) { return spike(e == 4 ? std::nanf("") : 1.0f); },
      options);
  program.run(8);
  const Heard heard = program.close();
  EXPECT_THAT(heard.updates(), IsEmpty());
  EXPECT_EQ(heard.report.frames, 8u) << "one alarm for each update";
  ASSERT_TRUE(program.taps().verdict());
  EXPECT_EQ(program.taps().verdict()->update, Update(4));
  EXPECT_EQ(program.taps().plan().alarms()[0].cycles, 0u)
      << "the row of the rule's tap has the alarm";
}

TEST(Triggers, TheHostMayChangeALimitWhileTheProgramRuns) {
  FedProgram program({"x when abs_max>10 or max<-5"},
                     [](unsigned, unsigned e) { return spike(float(e)); });
  ASSERT_EQ(program.taps().program().limits().size(), 1u);
  const TapLimits &limits = program.taps().program().limits()[0];
  ASSERT_EQ(limits.ranges.size(), 1u);
  EXPECT_EQ(limits.ranges[0].count, 2u);
  program.run(5);
  const std::vector<float> changed{6, -5};
  program.engine().writeTensor(limits.handle, changed.data(),
                               changed.data() + changed.size());
  program.run(4);
  EXPECT_THAT(program.close().updates(), ElementsAre(7, 8));
}

} // namespace
} // namespace popscope::outfeed
