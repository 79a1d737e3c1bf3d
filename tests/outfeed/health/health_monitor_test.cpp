#include "outfeed/health/health_monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

using graph::Computation;
using graph::TapMoment;
using graph::TensorKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TensorHealth finite(double absMax = 1.0) {
  return {100, 0, 0, 0, absMax, summary::TensorStats::kNoIndex};
}
TensorHealth withNan(std::uint64_t nan = 12) {
  return {100, nan, 0, 0, 1.0, 7};
}
TensorHealth withInf(std::uint64_t inf = 5) { return {100, 0, inf, 0, 1.0, 7}; }

// A layer with a ReLU, its loss, and the gradient and update of its weight.
class Program {
public:
  explicit Program(HealthOptions options = {},
                   const std::vector<std::string> &rules = {})
      : options_(std::move(options)),
        plan_(parsed(rules), TapPlan::Alarms::everywhere) {
    add("input", TensorKind::input, {Computation::host, {}});
    add("a_preacts", TensorKind::preactivation,
        {Computation::product, {"input", "a/kernel:0"}, 10});
    add("a_acts", TensorKind::activation, {Computation::relu, {"a_preacts"}});
    add("loss", TensorKind::loss, {Computation::crossEntropy, {"a_acts"}});
    add("a/kernel:0_grad", TensorKind::gradient,
        {Computation::product, {"input", "loss"}, 10});
    add("a/kernel:0", TensorKind::weight,
        {Computation::optimizer, {"a/kernel:0", "a/kernel:0_grad"}},
        TapMoment::applied);
    monitor_ = std::make_unique<HealthMonitor>(plan_, options_);
  }

  // One sample of every tensor that is watched then, all of them finite but
  // those listed. Alarms come first.
  void run(std::uint32_t update,
           const std::vector<std::pair<std::string, TensorHealth>> &others = {},
           SampleOrigin origin = {}) {
    const auto give = [&](const Tap &tap) {
      TensorHealth health = finite();
      for (const auto &[name, other] : others)
        if (tap.tensor.name == name)
          health = other;
      if (tap.tensor.moment == TapMoment::applied)
        origin.microBatch = 0;
      monitor_->add(tap, Update(update), origin, health);
    };
    for (const Tap &tap : plan_.alarms())
      give(tap);
    for (const Tap &tap : plan_.taps())
      if (tap.schedule.isDue(Update(update)))
        give(tap);
  }
  void give(std::uint32_t update, const std::string &name,
            const TensorHealth &health, SampleOrigin origin = {}) {
    for (const Tap &tap : plan_.alarms())
      if (tap.tensor.name == name)
        monitor_->add(tap, Update(update), origin, health);
  }

  HealthMonitor &monitor() { return *monitor_; }
  const Verdict &verdict() const { return *monitor_->verdict(); }

private:
  static std::vector<TapRule> parsed(const std::vector<std::string> &texts) {
    std::vector<TapRule> rules;
    for (const std::string &text : texts)
      rules.push_back(parseTapRule(text));
    return rules;
  }
  // A ReLU that a rule names has no alarm, since it only passes on.
  void add(const char *name, TensorKind kind, graph::Derivation derivation,
           TapMoment moment = TapMoment::microBatch) {
    TensorTraits traits;
    traits.name = name;
    traits.kind = kind;
    traits.moment = moment;
    traits.dtype = "float";
    traits.shape = {10, 10};
    traits.numElements = 100;
    traits.derivation = std::move(derivation);
    const Tap *const own = plan_.add(traits);
    if (!own || traits.derivation.computation != Computation::relu)
      plan_.addAlarm(traits, own);
  }

  HealthOptions options_;
  TapPlan plan_;
  std::unique_ptr<HealthMonitor> monitor_;
};

std::vector<std::string> followersOf(const Verdict &verdict) {
  std::vector<std::string> names;
  for (const Verdict::Follower &follower : verdict.followers)
    names.push_back(follower.name + "@" +
                    std::to_string(follower.update.value()));
  return names;
}

TEST(HealthMonitor, HasNoVerdictOnFiniteTensors) {
  Program program;
  program.run(0);
  program.run(1);
  program.monitor().finish();
  EXPECT_FALSE(program.monitor().verdict());
}

TEST(HealthMonitor, BlamesTheFirstInProgramOrderAsSoonAsTheUpdateIsComplete) {
  Program program;
  program.run(0);
  program.run(
      1,
      {{"a_preacts", withInf()}, {"a_acts", withInf()}, {"loss", withNan()}});
  ASSERT_TRUE(program.monitor().verdict());
  EXPECT_EQ(program.verdict().tensor.name, "a_preacts");
  EXPECT_EQ(program.verdict().update, Update(1));
  EXPECT_THAT(followersOf(program.verdict()),
              ElementsAre("a_acts@1", "loss@1"));
}

TEST(HealthMonitor, KeepsTheFirstThoughItIsFiniteAgainLater) {
  Program program;
  program.run(0, {{"a_preacts", withInf()}, {"a/kernel:0", withNan()}});
  for (std::uint32_t update = 1; update < 10; ++update)
    program.run(update, {{"a/kernel:0", withNan()}});
  EXPECT_EQ(program.verdict().tensor.name, "a_preacts");
  EXPECT_THAT(followersOf(program.verdict()), ElementsAre("a/kernel:0@0"));
}

TEST(HealthMonitor, OrdersByMicroBatchAndNotByArrival) {
  HealthOptions options;
  options.microBatchesPerUpdate = 2;
  Program program(options);
  // A pipeline: the forward pass of micro-batch 1 comes before the backward
  // pass of micro-batch 0.
  program.give(0, "input", finite(), {0, 0});
  program.give(0, "a_preacts", finite(), {0, 0});
  program.give(0, "input", finite(), {0, 1});
  program.give(0, "a_preacts", withInf(), {0, 1});
  program.give(0, "a_acts", finite(), {0, 0});
  program.give(0, "loss", withNan(), {0, 0});
  program.monitor().finish();
  EXPECT_EQ(program.verdict().tensor.name, "loss");
  EXPECT_EQ(program.verdict().origin.microBatch, 0u);
}

TEST(HealthMonitor, NamesTheReplicaInWhichItBegan) {
  HealthOptions options;
  options.slice.replicas = 3;
  Program program(options);
  program.run(0, {{"a/kernel:0", withNan()}}, {0, 0});
  program.run(0, {{"a/kernel:0", withNan()}}, {2, 0});
  program.run(0, {{"loss", withNan()}, {"a/kernel:0", withNan()}}, {1, 0});
  EXPECT_EQ(program.verdict().tensor.name, "loss");
  EXPECT_EQ(program.verdict().origin.replica, 1u);
  EXPECT_THAT(firstLine(program.verdict()), HasSubstr("replica 1, loss"));
}

TEST(HealthMonitor, JudgesAnUpdateOfWhichSamplesAreMissing) {
  Program program;
  program.give(0, "loss", withNan());
  program.run(1);
  EXPECT_FALSE(program.monitor().verdict()); // the rest may still come
  program.run(2);
  ASSERT_TRUE(program.monitor().verdict());
  EXPECT_EQ(program.verdict().update, Update(0));
}

TEST(HealthMonitor, TellsWhatHidTheBadElements) {
  Program program;
  program.run(0, {{"a_preacts", withNan(12)}});
  ASSERT_EQ(program.verdict().hiders.size(), 1u);
  EXPECT_EQ(program.verdict().hiders[0].name, "a");
  EXPECT_THAT(laterLines(program.verdict()),
              ElementsAre("hidden at update 0: the ReLU of a made "
                          "finite numbers of 12 NaN in a_preacts"));
}

TEST(HealthMonitor, TellsWhatHidThemThoughARuleDidNotWatchThatThisTime) {
  Program program({}, {"name:a_acts @ every 4 -> stats"});
  for (std::uint32_t update = 0; update < 5; ++update)
    program.run(update);
  program.run(5, {{"a_preacts", withNan(12)}});
  ASSERT_EQ(program.verdict().hiders.size(), 1u);
  EXPECT_EQ(program.verdict().hiders[0].name, "a");
}

TEST(HealthMonitor, WaitsForTheSamplesOfARuleThatIsDue) {
  Program program({}, {"name:a_acts @ every 4 -> stats"});
  // The ReLU's sample comes last, and it did not hide them.
  program.run(4, {{"a_preacts", withNan(12)}, {"a_acts", withNan(12)}});
  EXPECT_THAT(program.verdict().hiders, IsEmpty());
  EXPECT_THAT(followersOf(program.verdict()), ElementsAre("a_acts@4"));
}

TEST(HealthMonitor, TakesTheInputsOfTheSameUpdateAndTheWeightsOfTheOneBefore) {
  Program program;
  program.run(0, {{"a/kernel:0", finite(31.0)}, {"input", finite(1.0)}});
  program.run(1, {{"a/kernel:0", finite(2.0)},
                  {"input", finite(1e38)},
                  {"a_preacts", withInf()}});
  EXPECT_EQ(firstLine(program.verdict()),
            "first not finite: update 1, a_preacts (a, stage 0): 5 of 100 are "
            "+inf, first at [0,7]; its inputs were finite (input up to 1e38, "
            "a/kernel:0 up to 31): overflow of float (3.4e38)");
}

TEST(HealthMonitor, TakesTheInputsOfTheSameMicroBatch) {
  HealthOptions options;
  options.microBatchesPerUpdate = 2;
  Program program(options);
  program.give(0, "input", finite(1e38), {0, 0});
  program.give(0, "a_preacts", withInf(), {0, 0});
  program.give(0, "input", withNan(), {0, 1});
  program.give(0, "a_preacts", withNan(), {0, 1});
  program.monitor().setBefore("a/kernel:0", finite(10));
  program.monitor().finish();
  EXPECT_EQ(program.verdict().tensor.name, "a_preacts");
  EXPECT_EQ(program.verdict().cause.kind, CauseKind::overflow);
}

TEST(HealthMonitor, BlamesTheCheckpointForWhatItHeld) {
  Program program;
  program.monitor().resumeAt(Update(40));
  program.monitor().setBefore("a/kernel:0", withNan(1));
  program.run(40, {{"a_preacts", withNan()}});
  EXPECT_EQ(program.verdict().cause.kind, CauseKind::inCheckpoint);
  EXPECT_THAT(firstLine(program.verdict()),
              HasSubstr("; a/kernel:0 had 1 NaN: already in the checkpoint"));
}

TEST(HealthMonitor, BlamesTheDataForWhatTheyHeld) {
  Program program;
  program.run(0, {{"input", withNan()}, {"a_preacts", withNan()}});
  EXPECT_EQ(program.verdict().tensor.name, "input");
  EXPECT_EQ(program.verdict().cause.kind, CauseKind::inData);
}

TEST(HealthMonitor, AcceptsIntendedInfinitiesButNoNanMadeOfThem) {
  HealthOptions options;
  options.infinitiesIntended = {TensorFilter::parse("name:input")};
  Program program(options);
  program.run(0, {{"input", withInf()}});
  program.monitor().finish();
  EXPECT_FALSE(program.monitor().verdict());
  program.run(1, {{"input", withInf()}, {"a_preacts", withNan()}});
  EXPECT_EQ(program.verdict().tensor.name, "a_preacts");
  EXPECT_EQ(program.verdict().cause.kind, CauseKind::infTimesZero);
}

TEST(HealthMonitor, ListsSoManyFollowersAndCountsTheOthers) {
  Verdict verdict;
  for (std::size_t i = 0; i < 3; ++i)
    verdict.followers.push_back({"t" + std::to_string(i), Update(i / 2)});
  EXPECT_THAT(laterLines(verdict),
              ElementsAre("then update 0: t0, t1; update 1: t2"));
  for (std::size_t i = 3; i < 20; ++i)
    verdict.followers.push_back({"t" + std::to_string(i), Update(1)});
  verdict.moreFollowers = 1222;
  EXPECT_THAT(
      laterLines(verdict),
      ElementsAre("then update 0: t0, t1; update 1: t2, t3, t4, t5, t6, t7 and "
                  "1,234 more"));
  EXPECT_THAT(laterLines(Verdict()), IsEmpty());
}

} // namespace
} // namespace popscope::outfeed
