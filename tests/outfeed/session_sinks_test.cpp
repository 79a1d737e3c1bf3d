// What a session owes to its sinks, slow and broken ones included.
#include "outfeed/sinks/event_sink.hpp"
#include "outfeed/sinks/json_lines.hpp"
#include "tests/outfeed/memory_sink.hpp"
#include "tests/outfeed/tripled_program.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace popscope::outfeed {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::kElements;
using tests::MemorySink;
using tests::Told;
using tests::TripledProgram;

// Wants alarms, and is told of the plan before anything else.
class AlarmSink : public MemorySink {
public:
  AlarmSink(std::vector<Told> &told, std::vector<std::string> &planned)
      : MemorySink(told), planned_(planned) {}
  bool wantsAlarms() const override { return true; }
  void begin(const TapPlan &plan) override {
    for (const TensorTraits &tensor : plan.tensors())
      planned_.push_back(tensor.name);
  }

private:
  std::vector<std::string> &planned_;
};

class BrokenSink : public SampleSink {
public:
  void take(const Tap &, Update, const TensorSample &) override {
    throw std::runtime_error("the disk is full");
  }
};

// Lets nothing past until it is opened.
class GateSink : public SampleSink {
public:
  GateSink(std::vector<std::int64_t> &steps, std::shared_future<void> open)
      : steps_(steps), open_(std::move(open)) {}
  void take(const Tap &, Update, const TensorSample &) override {}
  void takeElements(const Tap &, Update update, const SampleOrigin &,
                    const void *, std::size_t) override {
    open_.wait();
    steps_.push_back(update.value());
  }

private:
  std::vector<std::int64_t> &steps_;
  const std::shared_future<void> open_;
};

TEST(SessionSinks, FullTensorsKnowTheirUpdatesAfterDrops) {
  std::vector<std::int64_t> steps;
  std::promise<void> gate;
  TapOptions options;
  options.queueCapacity = 1;
  options.fullQueue = FullQueue::drop;
  TapSession taps({parseTapRule("x @ every 2 -> full")}, options);
  taps.addSink(std::make_unique<GateSink>(steps, gate.get_future().share()));
  TripledProgram program(&taps);
  program.load(&taps);
  program.run(20);
  gate.set_value();
  taps.sync();
  program.run(1);
  EXPECT_GE(taps.close().dropped, 8u); // one is held at the gate, one waits
  EXPECT_EQ(steps.back(), 20);
}

TEST(SessionSinks, KeepsTheFirstErrorAndGoesOn) {
  TapSession taps({parseTapRule("x")});
  taps.addSink(std::make_unique<BrokenSink>());
  TripledProgram program(&taps);
  program.load(&taps);
  program.run(200); // more than the queue holds
  const TapReport report = taps.close();
  ASSERT_EQ(report.losses.size(), 1u);
  EXPECT_EQ(report.losses[0].error, "the disk is full");
  EXPECT_EQ(report.losses[0].lostRecords, 200u);
  EXPECT_EQ(report.losses[0].firstLost, summary::Step(0));
  EXPECT_EQ(report.frames, 200u);
}

TEST(SessionSinks, ASinkThatThrowsStopsAlone) {
  std::vector<Told> before, after;
  TapSession taps({parseTapRule("x")});
  taps.addSink(std::make_unique<MemorySink>(before));
  taps.addSink(std::make_unique<BrokenSink>());
  taps.addSink(std::make_unique<MemorySink>(after));
  TripledProgram program(&taps);
  program.load(&taps);
  program.run(20);
  const TapReport report = taps.close();
  EXPECT_EQ(before.size(), 20u);
  EXPECT_EQ(after.size(), 20u);
  EXPECT_FALSE(report.isWhole());
  ASSERT_EQ(report.losses.size(), 1u);
  EXPECT_EQ(report.losses[0].error, "the disk is full");
}

TEST(SessionSinks, TheDeviceWaitsForASlowSinkAndNothingIsLost) {
  std::vector<std::int64_t> slow;
  std::vector<Told> told;
  std::promise<void> gate;
  TapOptions options;
  options.queueCapacity = 1;
  TapSession taps({parseTapRule("x -> full")}, options);
  taps.addSink(std::make_unique<GateSink>(slow, gate.get_future().share()));
  taps.addSink(std::make_unique<MemorySink>(told));
  TripledProgram program(&taps);
  program.load(&taps);
  program.run(1);
  std::thread opener([&gate] { gate.set_value(); });
  program.run(19);
  opener.join();
  EXPECT_TRUE(taps.close().isWhole());
  EXPECT_EQ(slow.size(), 20u);
  EXPECT_EQ(told.size(), 20u);
}

TEST(SessionSinks, ReportsWhatItsSinksCouldNotWrite) {
  const popscope::tests::TempDir directory;
  const std::string file = directory.file("in the way", "");
  std::vector<Told> told;
  std::vector<summary::WriteReport> atOnce;
  const auto listener = [&](const summary::WriteReport &report) {
    atOnce.push_back(report);
  };
  TapSession taps({parseTapRule("x")});
  taps.addSink(std::make_unique<EventSink>(file, listener));
  taps.addSink(std::make_unique<JsonLines>("/dev/full", listener));
  taps.addSink(std::make_unique<MemorySink>(told));
  TripledProgram program(&taps);
  program.load(&taps);
  program.run(3);
  taps.sync();
  ASSERT_EQ(atOnce.size(), 2u);
  program.run(2);
  const TapReport report = taps.close();
  EXPECT_EQ(told.size(), 5u) << "another sink goes on";
  EXPECT_EQ(report.error, "");
  ASSERT_EQ(report.losses.size(), 2u);
  EXPECT_THAT(report.losses[0].what, HasSubstr("in the way"));
  EXPECT_EQ(report.losses[0].lostRecords, 5u);
  EXPECT_EQ(report.losses[0].firstLost->value(), 0);
  EXPECT_EQ(report.losses[1].error, "disk full");
  EXPECT_EQ(report.losses[1].lostRecords, 5u);
}

TEST(SessionSinks, AlarmsGoToTheSinksThatWantThemAndToNoOther) {
  std::vector<Told> told, withAlarms;
  std::vector<std::string> planned;
  TapOptions options;
  options.health = true;
  TapSession taps({parseTapRule("x -> shape")}, options);
  taps.addSink(std::make_unique<MemorySink>(told));
  taps.addSink(std::make_unique<AlarmSink>(withAlarms, planned));
  TripledProgram program(&taps);
  program.load(&taps);
  EXPECT_THAT(planned, ElementsAre("x", "y"));
  program.run(2);
  EXPECT_TRUE(taps.close().isWhole());
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1].name, "x");
  ASSERT_EQ(withAlarms.size(), 4u) << "one tap of x tells all about it";
  const auto alarm =
      std::find_if(withAlarms.begin(), withAlarms.end(),
                   [](const Told &sample) { return sample.name == "y"; });
  ASSERT_NE(alarm, withAlarms.end());
  EXPECT_EQ(alarm->sample.payload, Payload::alarm);
  EXPECT_EQ(alarm->sample.stats.count, kElements / 2);
}

} // namespace
} // namespace popscope::outfeed
