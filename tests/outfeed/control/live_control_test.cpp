// Taps of training graphs that are turned on and off while the engine runs.
#include "tests/graph/small_model.hpp"
#include "tests/outfeed/control/controlled_training.hpp"

#include <poplar/IPUModel.hpp>
#include <pva/pva.hpp>

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace popscope::outfeed {
namespace {

using graph::tests::smallSpec;
using graph::tests::TestTrainer;
using graph::tests::TestTrainerOptions;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using tests::Arrived;
using tests::ArrivedSink;
using tests::ControlledTraining;
using tests::Key;
using tests::Observer;

ControlRequest request(const std::vector<std::string> &enable,
                       const std::vector<std::string> &disable = {}) {
  ControlRequest request;
  request.enable = enable;
  request.disable = disable;
  return request;
}

// Names a tensor of a micro-batch or of an update, but no other.
std::string only(const Tap &tap) {
  return "name:" + tap.tensor.name + " & at:" + nameOf(tap.tensor.moment);
}

TEST(LiveControl, AThousandMasksUnderLoadMatchTheTransfersExactly) {
  graph::TrainingSpec spec = smallSpec();
  spec.updatesPerRun = 8;
  ControlledTraining training(spec, {"* @ never"});
  // At each update, the taps that are on from there.
  std::vector<std::pair<std::uint32_t, std::set<std::string>>> masks;
  std::atomic<bool> isDone{false};
  std::thread hand([&] {
    std::mt19937 random(17);
    const auto &taps = training.session().plan().taps();
    std::set<std::string> on;
    for (unsigned toggle = 0; toggle < 1000; ++toggle) {
      ControlRequest change;
      if (toggle % 50 == 0) { // all, or none
        change = toggle % 100 == 0 ? request({"*"}) : request({}, {"*"});
        on.clear();
        for (const Tap &tap : taps)
          if (toggle % 100 == 0)
            on.insert(tagOf(tap));
      } else {
        const Tap &tap = taps[random() % taps.size()];
        if (on.count(tagOf(tap)) != 0) {
          on.erase(tagOf(tap));
          change = request({}, {only(tap)});
        } else {
          on.insert(tagOf(tap));
          change = request({only(tap)});
        }
      }
      const ControlReply reply = training.control().answer(change);
      ASSERT_EQ(reply.refusal, "");
      masks.emplace_back(reply.update->value(), on);
    }
    isDone = true;
  });
  unsigned runs = 0;
  for (; !isDone; ++runs)
    training.train();
  hand.join();
  const Arrived &arrived = training.finish();

  std::map<Key, unsigned> expected;
  for (std::size_t m = 0; m < masks.size(); ++m) {
    const std::uint32_t end = m + 1 < masks.size()
                                  ? masks[m + 1].first
                                  : std::uint32_t(runs * spec.updatesPerRun);
    for (std::uint32_t update = masks[m].first; update < end; ++update)
      for (const std::string &tag : masks[m].second)
        expected[{tag, update}] = 1;
  }
  EXPECT_EQ(arrived.samples, expected);
  EXPECT_THAT(arrived.alarms, IsEmpty());
  EXPECT_EQ(arrived.notes.size(), 1000u);
  // No byte besides the rows of what is on, and a header for each frame.
  const TapReport &report = training.report();
  EXPECT_EQ(report.bytes, (report.frames * kFrameHeaderWords +
                           expected.size() * rowWords(StatsTier::stats)) *
                              sizeof(unsigned));
  // And it is as if nobody had looked.
  TestTrainer quiet(spec);
  quiet.train(runs);
  EXPECT_EQ(training.trainer().weights(), quiet.weights());
}

TEST(LiveControl, WhatIsOnIsSeenAsWithoutControl) {
  graph::TrainingSpec spec = smallSpec();
  spec.accumulation = 2;
  const std::vector<std::string> rules{"* -> identity"};
  ControlledTraining all(spec, rules), some(spec, rules);
  some.control().apply(request({}, {"kind:gradient", "name:conv/bias:0"}));
  all.train(3);
  some.train(3);
  const Arrived &ofAll = all.finish(), &ofSome = some.finish();
  EXPECT_LT(ofSome.samples.size(), ofAll.samples.size());
  ASSERT_EQ(ofSome.samples.count({"conv/kernel:0_update", 2}), 1u);
  for (const auto &[key, sample] : ofSome.last)
    EXPECT_EQ(sample.hash, ofAll.last.at(key).hash) << key.first;
}

TEST(LiveControl, StagesMicroBatchesAndReplicasAgreeOnWhatIsOn) {
  graph::TrainingSpec spec = smallSpec();
  spec.pipelined = true;
  spec.accumulation = 4;
  TestTrainerOptions trainer;
  trainer.ipusPerReplica = 2;
  trainer.replicas = 2;
  ControlledTraining training(spec, {"* @ never"}, trainer);
  training.train();
  training.control().apply(request({"name:conv_acts", "name:out_acts"}));
  training.train();
  training.control().apply(request({"*"}));
  training.train();
  training.control().apply(request({}, {"*"}));
  training.train();
  const Arrived &arrived = training.finish();
  std::map<std::uint32_t, std::size_t> perUpdate;
  for (const auto &[key, times] : arrived.samples) {
    EXPECT_EQ(times, 1u) << key.first;
    ++perUpdate[key.second];
  }
  EXPECT_EQ(perUpdate,
            (std::map<std::uint32_t, std::size_t>{
                {1, 2}, {2, training.session().plan().taps().size()}}));
  EXPECT_EQ(arrived.last.at({"conv_acts", 1}).parts, 8u);
  EXPECT_EQ(arrived.last.at({"out_acts", 1}).parts, 8u);
}

TEST(LiveControl, ADumpIsOfOneUpdateAndKnowsIt) {
  ControlledTraining training(
      smallSpec(), {"kind:activation", "name:conv_acts @ never -> full"});
  training.train(3);
  ControlRequest dump;
  dump.dump = {"conv_acts"};
  training.control().apply(dump);
  training.train(3);
  training.control().askEverythingOnce();
  training.train(2);
  const Arrived &arrived = training.finish();
  ASSERT_EQ(arrived.elements.size(), 2u);
  for (const std::uint32_t update : {3u, 6u}) {
    const Key key("conv_acts", update);
    ASSERT_EQ(arrived.elements.count(key), 1u);
    EXPECT_EQ(arrived.elements.at(key).size(), 4u * 4 * 4 * 4);
    EXPECT_EQ(arrived.last.at(key).payload, Payload::full);
  }
  for (std::uint32_t update = 0; update < 8; ++update)
    EXPECT_EQ(arrived.samples.at({"conv_acts", update}), 1u);
}

TEST(LiveControl, EveryTensorIsWatchedForHealthWhateverIsOn) {
  ControlledTraining training(smallSpec(), {"kind:activation"}, {}, true);
  training.train();
  training.control().apply(request({}, {"hidden_acts"}));
  training.train();
  training.control().apply(request({}, {"*"}));
  training.train();
  const Arrived &arrived = training.finish();
  for (const Tap &alarm : training.session().plan().alarms())
    for (std::uint32_t update = 0; update < 3; ++update) {
      const Key key(tagOf(alarm), update);
      EXPECT_EQ(arrived.samples.count(key) + arrived.alarms.count(key), 1u)
          << key.first << " at " << update;
    }
}

TEST(LiveControl, AFaultIsFoundInATensorWhoseTapIsOff) {
  const graph::TrainingSpec spec = smallSpec();
  Arrived arrived;
  TapOptions options;
  options.health = options.control = true;
  TapSession session({parseTapRule("hidden_preacts @ never")}, options);
  session.inject(parseInjection("nan:hidden_preacts@update=2"));
  session.addSink(std::make_unique<ArrivedSink>(arrived));
  Observer observer(session);
  TestTrainerOptions trainer;
  trainer.taps = &observer;
  TestTrainer machine(spec, trainer);
  session.connect(machine.engine());
  machine.train(4);
  session.sync();
  ASSERT_TRUE(session.verdict());
  EXPECT_EQ(session.verdict()->tensor.name, "hidden_preacts");
  EXPECT_EQ(session.verdict()->update, Update(2));
}

TEST(LiveControl, AConditionHasOtherLimitsFromTheUpdateItIsConfirmedWith) {
  graph::TrainingSpec spec = smallSpec();
  spec.updatesPerRun = 4;
  ControlledTraining training(
      spec, {"name:out_acts when max>2", "name:conv_acts when max>0"});
  training.train(); // probabilities are never above 2
  ControlRequest lower = request({"out_acts"});
  lower.when = "max>0";
  TapControl::Change change = training.control().apply(lower);
  training.control().apply(request({}, {"conv_acts"}));
  training.train();
  EXPECT_EQ(change.update.get(), Update(4));
  std::map<Key, unsigned> expected;
  for (std::uint32_t update = 0; update < 4; ++update) {
    expected[{"conv_acts", update}] = 1;
    expected[{"out_acts", update + 4}] = 1;
  }
  EXPECT_EQ(training.finish().samples, expected);
}

TEST(LiveControl, ARuleThatIsNeverDueCostsNothingWithoutControl) {
  TapSession session({parseTapRule("* @ never")});
  Observer observer(session);
  TestTrainerOptions trainer;
  trainer.taps = &observer;
  TestTrainer machine(smallSpec(), trainer);
  EXPECT_TRUE(session.program().sources().empty());
  EXPECT_TRUE(session.program().clocks().empty());
  EXPECT_NO_THROW(session.plan().requireMatches());
}

// A program of one tensor, with a record of what it executes.
class TinyProgram {
public:
  explicit TinyProgram(TapSession &session, bool beginsUpdates = true)
      : device_(poplar::IPUModel().createDevice()),
        graph_(device_.getTarget()) {
    graph::addCodelets(graph_);
    const poplar::Tensor x = graph_.addVariable(poplar::FLOAT, {8}, "x");
    graph_.setTileMapping(x, 0);
    graph_.setInitialValue(x, 1.0f);
    poplar::program::Sequence body, prog;
    session.visit(graph_, body,
                  {"x", graph::TensorKind::activation,
                   graph::TapMoment::microBatch, 0, x});
    session.flush(graph_, body, graph::TapMoment::microBatch);
    if (beginsUpdates)
      session.beginUpdate(graph_, prog);
    prog.add(body);
    engine_ = std::make_unique<poplar::Engine>(
        graph_, prog, poplar::OptionFlags{{"debug.instrument", "true"}});
    session.connect(*engine_);
    engine_->load(device_);
  }

  // The steps of the last run.
  std::vector<std::string> run() {
    const std::size_t before = steps_;
    engine_->run();
    std::vector<std::string> names;
    const auto steps = engine_->getReport().execution().steps();
    for (steps_ = before; steps_ < steps.size(); ++steps_)
      if (steps[steps_].program()->type() == pva::Program::Type::OnTileExecute)
        names.push_back(steps[steps_].program()->name());
    return names;
  }

private:
  poplar::Device device_;
  poplar::Graph graph_;
  std::unique_ptr<poplar::Engine> engine_;
  std::size_t steps_ = 0;
};

TEST(LiveControl, ATapThatIsOffRunsNoVertex) {
  TapOptions options;
  options.control = true;
  TapSession session({parseTapRule("x")}, options);
  TinyProgram program(session);
  EXPECT_THAT(program.run(), Contains(HasSubstr("popscope/x")));
  session.control()->apply(request({}, {"x"}));
  const std::vector<std::string> steps = program.run();
  ASSERT_EQ(steps.size(), 1u); // it counts
  EXPECT_THAT(steps[0], HasSubstr("popscope/clock"));
}

TEST(LiveControl, ARuleThatIsOffDoesNotTearTheFramesOfOthersApart) {
  // Both are of the same unit of the program, and due at the same updates.
  ControlledTraining training(
      smallSpec(), {"kind:preactivation", "kind:gradient"}, {}, true);
  training.train();
  const std::uint64_t frames = training.session().report().frames;
  training.control().setEvery(0, 0);
  training.train();
  // Instead of its frame there is one of alarms.
  EXPECT_EQ(training.session().report().frames, 2 * frames);
  training.finish();
}

TEST(LiveControl, OfARehearsalNobodyLearns) {
  ControlledTraining training(smallSpec(), {"kind:activation", "loss"}, {},
                              true);
  training.train(2);
  training.session().sync();
  const std::uint64_t frames = training.session().report().frames;
  const std::size_t samples = training.session().traffic().bytesOf(TapId(0));
  std::vector<bool> rules = {true, false};
  unsigned updates = 0;
  training.session().rehearse([&]() -> const std::vector<bool> & {
    rules.flip();
    ++updates;
    return rules;
  });
  training.train(100); // more frames than the queue holds
  EXPECT_EQ(updates, 100u);
  EXPECT_EQ(training.session().traffic().bytesOf(TapId(0)), samples);
  const Arrived &arrived = training.finish();
  EXPECT_EQ(training.report().frames, frames);
  for (const auto &[key, count] : arrived.samples)
    EXPECT_LT(key.second, 2u) << key.first;
  for (const auto &[key, count] : arrived.alarms)
    EXPECT_LT(key.second, 2u) << key.first;
}

TEST(LiveControl, CountsTheBytesOfEachTapAsTheyCross) {
  graph::TrainingSpec spec = smallSpec();
  spec.accumulation = 3;
  ControlledTraining training(spec, {"kind:activation @ every 2", "loss"}, {},
                              true);
  training.train(4); // updates
  training.session().sync();
  const TapTraffic traffic = training.session().traffic();
  for (const Tap &tap : training.session().plan().taps())
    EXPECT_EQ(traffic.bytesOf(tap.id), tap.bytes * 3 * (tap.rule == 0 ? 2 : 4))
        << tap.tensor.name;
  training.finish();
}

TEST(LiveControl, AProgramThatDoesNotBeginItsUpdatesIsRefused) {
  TapOptions options;
  options.control = true;
  TapSession session({parseTapRule("x")}, options);
  EXPECT_THROW(TinyProgram(session, false), std::logic_error);
}

} // namespace
} // namespace popscope::outfeed
