// Records of all replicas, merged on the device.
#include "graph/taps/replica_merge.hpp"
#include "tests/graph/small_model.hpp"
#include "tests/outfeed/control/controlled_training.hpp"
#include "tests/outfeed/fed_program.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <set>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using tests::FedOptions;
using tests::FedProgram;
using tests::Heard;
using tests::Values;

// Of different scales, with some that are not finite and ties between replicas.
std::vector<float> drawn(unsigned replica, unsigned execution) {
  std::mt19937 random(100 * execution + replica);
  std::normal_distribution<float> normal(5.0f, std::ldexp(1.0f, int(replica)));
  std::vector<float> values(64);
  for (float &value : values)
    value = normal(random);
  values[7 * replica % 64] = 0.0f;
  values[10 + replica] = -300.0f;
  if (replica % 2 == 1)
    values[20] = std::numeric_limits<float>::infinity();
  return values;
}

std::vector<std::string> named(unsigned count) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < count; ++i)
    names.push_back("x" + std::to_string(i));
  return names;
}

struct Layout {
  unsigned replicas, taps, microBatches = 1;
  bool merge = true;
};

Heard run(const std::vector<std::string> &rules, const Layout &layout,
          unsigned executions, const Values &values = drawn) {
  FedOptions options;
  options.names = named(layout.taps);
  options.replicas = layout.replicas;
  options.taps.mergeReplicas = layout.merge;
  options.taps.microBatchesPerUpdate = layout.microBatches;
  FedProgram program(rules, values, options);
  program.run(executions);
  return program.close();
}

// The double sums of the host against the float ones of the device.
void expectMomentsNear(const TensorSample &merged, const TensorSample &known) {
  const summary::TensorStats &a = merged.stats, &b = known.stats;
  const double scale = b.standardDeviation();
  EXPECT_NEAR(a.mean, b.mean, 1e-6 * scale);
  EXPECT_NEAR(a.standardDeviation(), scale, 1e-6 * scale);
  EXPECT_NEAR(a.meanAbs(), b.meanAbs(), 1e-6 * b.meanAbs());
  if (!merged.hasShape())
    return;
  EXPECT_NEAR(a.skewness(), b.skewness(), 1e-5 * (1 + std::abs(b.skewness())));
  EXPECT_NEAR(a.kurtosis(), b.kurtosis(), 1e-5 * b.kurtosis());
}

void expectSameCounts(const TensorSample &a, const TensorSample &b) {
  const summary::TensorStats &x = a.stats, &y = b.stats;
  EXPECT_EQ(x.count, y.count);
  EXPECT_EQ(x.nan, y.nan);
  EXPECT_EQ(x.posInf, y.posInf);
  EXPECT_EQ(x.zero, y.zero);
  EXPECT_EQ(x.positive, y.positive);
  EXPECT_EQ(x.negative, y.negative);
  EXPECT_EQ(x.min, y.min);
  EXPECT_EQ(x.max, y.max);
  EXPECT_EQ(x.absMax, y.absMax);
  EXPECT_EQ(x.absMinNonZero, y.absMinNonZero);
  EXPECT_EQ(a.topExponent, b.topExponent);
  for (unsigned sign = 0; sign < 2; ++sign)
    EXPECT_THAT(a.buckets[sign], ElementsAreArray(b.buckets[sign]));
}

TEST(MergedReplicas, AreTheStatisticsOfAllElementsTogether) {
  for (const unsigned replicas : {2u, 3u, 8u, 40u}) { // 40 merge in two levels
    const Heard heard = run({"x0 -> shape"}, {replicas, 1}, 2);
    ASSERT_THAT(heard.updates("x0"), ElementsAre(0, 1)) << replicas;
    for (const Heard::Sample &told : heard.samples) {
      std::vector<float> all;
      for (unsigned replica = 0; replica < replicas; ++replica)
        for (const float value : drawn(replica, told.update))
          all.push_back(value);
      const TensorSample whole = sampleOfFloats(all);
      EXPECT_EQ(told.sample.parts, replicas);
      EXPECT_EQ(told.sample.payload, Payload::shape);
      expectSameCounts(told.sample, whole);
      expectMomentsNear(told.sample, whole);
    }
  }
}

TEST(MergedReplicas, AreWhatTheHostMakesOfThemApart) {
  const std::vector<std::string> rules = {"* -> stats", "x1 or x3 -> shape",
                                          "x2 @ every 2 -> shape"};
  for (const unsigned replicas : {2u, 4u}) {
    const Heard apart = run(rules, {replicas, 5, 3, false}, 12);
    const Heard merged = run(rules, {replicas, 5, 3}, 12);
    std::map<std::pair<std::string, std::uint32_t>, TensorSample> known;
    for (const Heard::Sample &told : apart.samples)
      known[{told.name, told.update}] = told.sample;
    EXPECT_EQ(known.size(), 4u * 4 + 2);
    ASSERT_EQ(merged.samples.size(), known.size());
    for (const Heard::Sample &told : merged.samples) {
      const TensorSample &other = known.at({told.name, told.update});
      EXPECT_EQ(told.sample.parts, other.parts);
      EXPECT_EQ(told.sample.payload, other.payload);
      expectSameCounts(told.sample, other);
      expectMomentsNear(told.sample, other);
      EXPECT_EQ(told.sample.stats.argMin, other.stats.argMin);
      EXPECT_EQ(told.sample.stats.argMax, other.stats.argMax);
      EXPECT_EQ(told.sample.stats.firstBad, other.stats.firstBad);
    }
  }
}

TEST(MergedReplicas, ComeInTheOrderOfTheTaps) {
  const Heard heard = run({"*"}, {4, 10}, 20);
  ASSERT_EQ(heard.samples.size(), 200u);
  for (std::size_t i = 0; i < heard.samples.size(); ++i) {
    EXPECT_EQ(heard.samples[i].update, i / 10);
    EXPECT_EQ(heard.samples[i].name, "x" + std::to_string(i % 10));
  }
}

TEST(MergedReplicas, WhatReachesTheHostDoesNotGrowWithThem) {
  constexpr std::uint64_t kHeader = 12, kRow = 80, kExecutions = 3;
  for (const unsigned taps : {1u, 4u, 32u}) {
    for (const unsigned replicas : {2u, 4u, 8u, 16u}) {
      const Heard heard = run({"* -> stats"}, {replicas, taps}, kExecutions);
      EXPECT_EQ(heard.samples.size(), kExecutions * taps);
      EXPECT_EQ(heard.report.frames, kExecutions * replicas);
      const std::uint64_t rows =
          heard.report.bytes / kExecutions - kHeader * replicas;
      EXPECT_GE(rows, taps * kRow);
      EXPECT_LT(rows, 2 * taps * kRow);
      if (taps % replicas == 0) {
        EXPECT_EQ(rows, taps * kRow);
      }
      const Heard apart =
          run({"* -> stats"}, {replicas, taps, 1, false}, kExecutions);
      EXPECT_EQ(apart.report.bytes,
                kExecutions * replicas * (kHeader + taps * kRow));
    }
  }
}

TEST(MergedReplicas, WhatTellsReplicasApartStays) {
  FedOptions options;
  options.names = named(5);
  options.replicas = 2;
  options.taps.mergeReplicas = true;
  FedProgram program({"x0 -> stats", "x1 -> identity", "x2 -> alarm",
                      "x3 -> full", "x4 when abs_max>1 -> stats"},
                     drawn, options);
  std::set<std::string> merged;
  for (const Tap &tap : program.taps().plan().taps())
    if (tap.isMerged())
      merged.insert(tap.tensor.name);
  EXPECT_THAT(merged, ElementsAre("x0"));
  program.run(3);
  const Heard &heard = program.close();
  EXPECT_TRUE(heard.report.isWhole());
  EXPECT_EQ(heard.samples.size(), 15u);
  for (const Heard::Sample &told : heard.samples)
    EXPECT_EQ(told.sample.parts, 2u) << told.name;
  EXPECT_EQ(heard.elements.size(), 6u);
  EXPECT_EQ(heard.firings.size(), 6u); // each of a replica
}

TEST(MergedReplicas, CountsThatWouldNotFitInARowStayApart) {
  TapPlan plan({parseTapRule("*")}, TapPlan::Alarms::none,
               TapPlan::Control::fixed, 4);
  TensorTraits tensor;
  tensor.name = "fits";
  tensor.numElements = (std::size_t(1) << 30) - 1;
  EXPECT_TRUE(plan.add(tensor)->isMerged());
  tensor.name = "large";
  ++tensor.numElements;
  EXPECT_FALSE(plan.add(tensor)->isMerged());
}

TEST(MergedReplicas, TheReplicaThatIsToBlameIsKnown) {
  FedOptions options;
  options.names = {"x"};
  options.replicas = 4;
  options.taps.mergeReplicas = options.taps.health = true;
  const Values values = [](unsigned replica, unsigned execution) {
    std::vector<float> values = tests::constant(float(replica));
    if (execution >= 2 && replica == 2)
      values[33] = std::numeric_limits<float>::quiet_NaN();
    return values;
  };
  FedProgram program({"x -> stats"}, values, options);
  program.run(4);
  program.taps().sync();
  const auto verdict = program.taps().verdict();
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->update.value(), 2u);
  EXPECT_EQ(verdict->origin.replica, 2u);
  EXPECT_EQ(verdict->health.firstBad, 33u);
  EXPECT_THAT(program.close().updates(), ElementsAre(0, 1, 2, 3));
}

// Alone, with others, or not at all; and the alarm of a tensor at every update,
// since what is merged says nothing of a replica.
TEST(MergedReplicas, AreTurnedOnAndOff) {
  graph::TrainingSpec spec = graph::tests::smallSpec();
  graph::tests::TestTrainerOptions trainer;
  trainer.replicas = 3;
  std::map<bool, std::map<tests::Key, TensorSample>> told;
  for (const bool merge : {false, true}) {
    tests::ControlledTraining training(
        spec, {"kind:weight or kind:gradient @ never -> shape"}, trainer, true,
        {}, merge);
    training.train(2);
    ControlRequest all, one;
    all.enable = {"*"};
    one.disable = {"not kind:weight"};
    training.control().apply(all);
    training.train(2);
    training.control().apply(one);
    training.train(2);
    const tests::Arrived &arrived = training.finish();
    EXPECT_GT(arrived.samples.size(), 10u);
    for (const auto &[key, count] : arrived.samples) {
      EXPECT_EQ(count, 1u);
      told[merge][key] = arrived.last.at(key);
    }
    const std::size_t alarms = training.session().plan().alarms().size();
    if (merge) {
      EXPECT_EQ(arrived.alarms.size(), 6 * alarms);
    } else {
      EXPECT_LT(arrived.alarms.size(), 6 * alarms);
    }
  }
  ASSERT_EQ(told[true].size(), told[false].size());
  for (const auto &[key, sample] : told[false]) {
    ASSERT_EQ(told[true].count(key), 1u) << key.first << key.second;
    expectSameCounts(told[true][key], sample);
  }
}

TEST(MergedReplicas, AreNotKeptApart) {
  TapOptions options;
  options.replicas = 2;
  options.mergeReplicas = true;
  options.fold = Fold::apart;
  EXPECT_THROW(TapSession({}, options), std::invalid_argument);
}

TEST(ReplicaDivision, EveryWordHasOnePlace) {
  for (const unsigned replicas : {1u, 2u, 3u, 7u, 64u, 256u})
    for (const std::size_t words : {20u, 85u})
      for (const std::size_t rows : {1u, 2u, 5u, 64u, 100u, 300u}) {
        const graph::ReplicaDivision division(rows, words, replicas);
        std::set<std::pair<unsigned, std::size_t>> taken;
        for (std::size_t row = 0; row < rows; ++row) {
          const graph::MergedPlace place = division.placeOf(row);
          EXPECT_GE(place.pieces * place.pieceWords, words);
          EXPECT_LT((place.pieces - 1) * place.pieceWords, words);
          EXPECT_LE(place.firstReplica + place.pieces, replicas);
          for (unsigned piece = 0; piece < place.pieces; ++piece) {
            const unsigned replica = place.firstReplica + piece;
            EXPECT_TRUE(taken.emplace(replica, place.word).second);
            EXPECT_EQ(division.rowAt(replica, place.word / place.pieceWords),
                      row);
          }
        }
        EXPECT_LT(division.shareWords() * replicas,
                  2 * rows * words + replicas);
      }
}

} // namespace
} // namespace popscope::outfeed
