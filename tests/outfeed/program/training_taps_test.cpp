// Taps on the training graphs of graph/: what they see, and that they change
// nothing.
#include "graph/codelets.hpp"
#include "graph/models.hpp"
#include "outfeed/tap_session.hpp"
#include "tests/graph/small_model.hpp"
#include "tests/graph/test_trainer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

namespace popscope::outfeed {
namespace {

using graph::tests::smallSpec;
using graph::tests::TestTrainer;
using graph::tests::TestTrainerOptions;

using Key = std::pair<std::string, std::int64_t>;
using Samples = std::map<Key, TensorSample>;

class MapSink : public SampleSink {
public:
  MapSink(Samples &samples, Samples &recorded)
      : samples_(samples), recorded_(recorded) {}
  void take(const Tap &tap, Update update,
            const TensorSample &sample) override {
    samples_[{tap.tensor.name + "@" + nameOf(tap.tensor.moment),
              update.value()}] = sample;
  }
  void takeRecorded(const Tap &tap, Update update,
                    const TensorSample &sample) override {
    recorded_[{tap.tensor.name + "@" + nameOf(tap.tensor.moment),
               update.value()}] = sample;
  }

private:
  Samples &samples_, &recorded_;
};

// Adds the codelets before the first tap: the machine does not know of them.
// May forget what it is told of tensors.
class Observer : public graph::TapObserver {
public:
  struct Forgets {
    bool lasting = false, unchanged = false;
  };

  Observer(TapSession &session, Forgets forgets)
      : session_(session), forgets_(forgets) {}
  void visit(poplar::Graph &graph, poplar::program::Sequence &prog,
             const graph::TapPoint &point) override {
    if (!graph_)
      graph::addCodelets(graph);
    graph_ = &graph;
    graph::TapPoint seen = point;
    seen.lasting = point.lasting && !forgets_.lasting;
    seen.unchanged = point.unchanged && !forgets_.unchanged;
    session_.visit(graph, prog, seen);
  }
  bool wantsUpdate(const std::string &name) const override {
    return session_.wantsUpdate(name);
  }
  void flush(poplar::Graph &graph, poplar::program::Sequence &prog,
             graph::TapMoment moment) override {
    session_.flush(graph, prog, moment);
  }

private:
  TapSession &session_;
  const Forgets forgets_;
  const poplar::Graph *graph_ = nullptr;
};

struct Training {
  Samples samples, recorded;
  std::size_t cycles = 0;                                         // of the taps
  std::vector<std::map<std::string, std::vector<float>>> weights; // by replica
};

Training train(const graph::TrainingSpec &spec,
               const std::vector<std::string> &rules,
               TestTrainerOptions options = {},
               Observer::Forgets forgets = {false, false},
               unsigned recorderUpdates = 0, bool mergeReplicas = false) {
  std::vector<TapRule> parsed;
  for (const std::string &rule : rules)
    parsed.push_back(parseTapRule(rule));
  TapOptions taps;
  taps.microBatchesPerUpdate = spec.accumulation;
  taps.replicas = options.replicas;
  taps.recorderUpdates = recorderUpdates;
  taps.mergeReplicas = mergeReplicas;
  taps.health = recorderUpdates != 0;
  Training training;
  TapSession session(parsed, taps);
  session.addSink(
      std::make_unique<MapSink>(training.samples, training.recorded));
  Observer observer(session, forgets);
  options.taps = &observer;
  TestTrainer machine(spec, options);
  session.connect(machine.engine());
  machine.train(6);
  session.collectRecorded(machine.engine());
  EXPECT_TRUE(session.close().isWhole());
  for (const Tap &tap : session.plan().taps())
    training.cycles += tap.cycles;
  for (unsigned replica = 0; replica < options.replicas; ++replica)
    training.weights.push_back(machine.weights(replica));
  return training;
}

TestTrainerOptions onIpus(unsigned ipus, unsigned replicas = 1) {
  TestTrainerOptions options;
  options.ipusPerReplica = ipus;
  options.replicas = replicas;
  return options;
}

graph::TrainingSpec pipelined() {
  graph::TrainingSpec spec = smallSpec();
  spec.pipelined = true;
  spec.accumulation = 4;
  return spec;
}

TEST(TrainingTaps, LeaveTheWeightsAsTheyWouldBe) {
  const auto quiet = train(pipelined(), {}, onIpus(2)).weights;
  EXPECT_EQ(
      train(pipelined(), {"kind:gradient @ every 2 -> identity"}, onIpus(2))
          .weights,
      quiet);
  EXPECT_EQ(
      train(pipelined(), {"* -> shape", "kind:activation -> full"}, onIpus(2))
          .weights,
      quiet);
}

TEST(TrainingTaps, SeeOnePointPerStepWhateverTheStages) {
  const Samples samples =
      train(pipelined(),
            {"name:conv_acts", "name:out_acts", "name:conv/bias:0_grad"},
            onIpus(2))
          .samples;
  EXPECT_EQ(samples.size(), 4u * 6);
  EXPECT_EQ(samples.at({"conv_acts@microBatch", 5}).parts, 4u);
  EXPECT_EQ(samples.at({"out_acts@microBatch", 5}).parts, 4u);
  EXPECT_EQ(samples.at({"conv/bias:0_grad@accumulated", 5}).parts, 1u);
  // Probabilities of ten classes.
  EXPECT_NEAR(samples.at({"out_acts@microBatch", 0}).stats.mean, 0.1, 1e-6);
}

TEST(TrainingTaps, FoldReplicasIntoOnePoint) {
  const Samples samples =
      train(smallSpec(), {"loss", "at:reduced"}, onIpus(1, 2)).samples;
  EXPECT_EQ(samples.at({"loss@microBatch", 3}).parts, 2u);
  // All replicas have the same reduced gradient.
  const TensorSample &sample = samples.at({"conv/bias:0_grad@reduced", 3});
  EXPECT_EQ(sample.parts, 2u);
  EXPECT_EQ(sample.stats.count, 2u * 4);
}

TEST(TrainingTaps, LastingTensorsAreWhatTheyWereWhenVisited) {
  graph::TrainingSpec spec = smallSpec();
  spec.accumulation = 2;
  const std::vector<std::string> rules{"at:microBatch -> identity"};
  for (const bool isPipelined : {false, true}) {
    spec.pipelined = isPipelined;
    const TestTrainerOptions options = onIpus(isPipelined ? 2 : 1);
    const Samples later = train(spec, rules, options).samples;
    const Samples atOnce = train(spec, rules, options, {true, false}).samples;
    ASSERT_EQ(later.size(), atOnce.size());
    for (const auto &[key, sample] : later)
      EXPECT_EQ(sample.hash, atOnce.at(key).hash) << key.first;
  }
}

TEST(TrainingTaps, GradientsOfAnOnlyMicroBatchAreReadOnce) {
  const std::vector<std::string> rules{"kind:gradient -> identity"};
  for (const unsigned replicas : {1u, 2u}) {
    const Training once = train(smallSpec(), rules, onIpus(1, replicas));
    const Training twice =
        train(smallSpec(), rules, onIpus(1, replicas), {false, true});
    EXPECT_LT(once.cycles, twice.cycles);
    ASSERT_EQ(once.samples.size(), twice.samples.size());
    for (const auto &[key, sample] : once.samples) {
      EXPECT_EQ(sample.hash, twice.samples.at(key).hash) << key.first;
      EXPECT_EQ(sample.stats.mean, twice.samples.at(key).stats.mean);
    }
  }
}

TEST(TrainingTaps, GradientsThatWereNotReadAlikeBeforeAreReadAgain) {
  const std::vector<std::string> rules{
      "kind:gradient -> shape", "at:accumulated -> identity",
      "at:accumulated & name:conv/bias:0_grad @ every 2 -> shape"};
  const Training taps = train(smallSpec(), rules);
  const Training twice = train(smallSpec(), rules, {}, {false, true});
  EXPECT_EQ(taps.cycles, twice.cycles);
  ASSERT_EQ(taps.samples.size(), twice.samples.size());
  for (const auto &[key, sample] : taps.samples)
    EXPECT_EQ(sample.hash, twice.samples.at(key).hash) << key.first;
}

// Plain, accumulated, pipelined, replicated, and all of it.
struct Shape {
  graph::TrainingSpec spec;
  TestTrainerOptions options;
};

std::vector<Shape> trainingShapes() {
  graph::TrainingSpec accumulated = smallSpec();
  accumulated.accumulation = 3;
  return {{smallSpec(), onIpus(1)},
          {accumulated, onIpus(1)},
          {pipelined(), onIpus(2)},
          {smallSpec(), onIpus(1, 2)},
          {pipelined(), onIpus(2, 2)}};
}

TEST(TrainingTaps, ConditionsChooseTheUpdatesThatTheHostWouldAndNoWeight) {
  for (const Shape &shape : trainingShapes()) {
    const Training all = train(shape.spec, {"*"}, shape.options);
    const Training some =
        train(shape.spec, {"* when abs_max>0.3"}, shape.options);
    const Training never =
        train(shape.spec, {"* when abs_max>1e30 -> full"}, shape.options);
    EXPECT_EQ(some.weights, all.weights);
    EXPECT_EQ(never.weights, all.weights);
    EXPECT_TRUE(never.samples.empty());
    // The largest magnitude of an update is that of one of its parts.
    std::set<Key> expected, sent;
    for (const auto &[key, sample] : all.samples)
      if (sample.stats.absMax > double(0.3f))
        expected.insert(key);
    for (const auto &[key, sample] : some.samples)
      sent.insert(key);
    EXPECT_EQ(sent, expected);
    EXPECT_GT(sent.size(), 10u);
    EXPECT_LT(sent.size(), all.samples.size());
  }
}

TEST(TrainingTaps, TheRecorderHasTheUpdatesUpToAnEventOfAnyUnit) {
  for (const Shape &shape : trainingShapes()) {
    const Training all = train(shape.spec, {"*"}, shape.options);
    // An event at update 3, in a tensor of a micro-batch, at the beginning of
    // an update, and in a weight, at its end.
    for (const char *rule : {"input @ from 3 when max>0 -> alarm",
                             "name:out/bias:0 @ from 3 when max>0 -> full"}) {
      const Training recorded =
          train(shape.spec, {rule}, shape.options, {false, false}, 3);
      EXPECT_EQ(recorded.weights, all.weights);
      std::set<std::int64_t> updates;
      std::set<std::string> tensors;
      for (const auto &[key, sample] : recorded.recorded) {
        const TensorSample &expected = all.samples.at(key);
        EXPECT_EQ(sample.stats.mean, expected.stats.mean) << key.first;
        EXPECT_EQ(sample.stats.argMax, expected.stats.argMax) << key.first;
        EXPECT_EQ(sample.parts, expected.parts) << key.first;
        updates.insert(key.second);
        tensors.insert(key.first);
      }
      EXPECT_EQ(updates, (std::set<std::int64_t>{1, 2, 3})) << rule;
      EXPECT_GT(tensors.size(), 10u);
      const std::size_t sent =
          recorded.samples.count({"out/bias:0@applied", 3});
      EXPECT_EQ(recorded.recorded.size() + sent, tensors.size() * 3) << rule;
    }
  }
}

TEST(TrainingTaps, AFullTensorThatFiresIsWhatItWasWhenVisited) {
  for (const Shape &shape : trainingShapes()) {
    const Training always =
        train(shape.spec, {"at:microBatch -> full"}, shape.options);
    const Training armed = train(
        shape.spec, {"at:microBatch when abs_max>=0 -> full"}, shape.options);
    ASSERT_EQ(armed.samples.size(), always.samples.size());
    for (const auto &[key, sample] : armed.samples) {
      EXPECT_EQ(sample.stats.mean, always.samples.at(key).stats.mean)
          << key.first;
      EXPECT_EQ(sample.stats.absMax, always.samples.at(key).stats.absMax);
    }
  }
}

TEST(TrainingTaps, UpdatesAreSeenWhenAsked) {
  const Samples samples = train(smallSpec(), {"kind:update"}).samples;
  EXPECT_EQ(samples.count({"conv/kernel:0_update@applied", 0}), 1u);
  EXPECT_GT(samples.at({"conv/kernel:0_update@applied", 0}).stats.absMax, 0.0);
}

TEST(TrainingTaps, OfMergedReplicasTellWhatTheHostWouldMakeOfThem) {
  const std::vector<std::string> rules = {"* -> stats",
                                          "kind:gradient @ every 2 -> shape"};
  const TestTrainerOptions ipus = onIpus(2, 2);
  for (const unsigned recorderUpdates : {0u, 3u}) {
    const Training apart =
        train(pipelined(), rules, ipus, {false, false}, recorderUpdates);
    const Training merged =
        train(pipelined(), rules, ipus, {false, false}, recorderUpdates, true);
    EXPECT_EQ(merged.weights, apart.weights);
    ASSERT_GT(apart.samples.size(), 50u);
    ASSERT_EQ(merged.samples.size(), apart.samples.size());
    for (const auto &[key, sample] : apart.samples) {
      ASSERT_EQ(merged.samples.count(key), 1u) << key.first;
      const TensorSample &other = merged.samples.at(key);
      EXPECT_EQ(other.parts, sample.parts) << key.first;
      EXPECT_EQ(other.stats.count, sample.stats.count) << key.first;
      EXPECT_EQ(other.stats.zero, sample.stats.zero) << key.first;
      EXPECT_EQ(other.stats.min, sample.stats.min) << key.first;
      EXPECT_EQ(other.stats.max, sample.stats.max) << key.first;
      EXPECT_NEAR(other.stats.standardDeviation(),
                  sample.stats.standardDeviation(), 2e-6 * sample.stats.absMax)
          << key.first;
      for (unsigned sign = 0; sign < 2; ++sign)
        EXPECT_THAT(other.buckets[sign],
                    testing::ElementsAreArray(sample.buckets[sign]))
            << key.first;
    }
    // The recorder keeps what each replica had.
    ASSERT_EQ(merged.recorded.size(), apart.recorded.size());
    EXPECT_EQ(apart.recorded.empty(), recorderUpdates == 0);
    for (const auto &[key, sample] : apart.recorded)
      EXPECT_EQ(merged.recorded.at(key).stats.m2, sample.stats.m2);
  }
}

} // namespace
} // namespace popscope::outfeed
