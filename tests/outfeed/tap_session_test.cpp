#include "graph/codelets.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "outfeed/sinks/json_lines.hpp"
#include "outfeed/tap_session.hpp"
#include "tests/support/temp_dir.hpp"

#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <cmath>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <tuple>

namespace popscope::outfeed {
namespace {

using graph::TapMoment;
using graph::TensorKind;
using poplar::program::Sequence;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kElements = 5000;

struct Told {
  std::string name, tag;
  std::int64_t step;
  TensorSample sample;
};

class MemorySink : public SampleSink {
public:
  explicit MemorySink(std::vector<Told> &told) : told_(told) {}
  void take(const Tap &tap, Update update,
            const TensorSample &sample) override {
    told_.push_back({tap.tensor.name, tagOf(tap), update.value(), sample});
  }

private:
  std::vector<Told> &told_;
};

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

// Each run triples `x` in place after it was visited, and turns the sign of
// `y`, which is half as long.
class Machine {
public:
  explicit Machine(TapSession *taps, unsigned visits = 1)
      : device_(poplar::IPUModel().createDevice()),
        graph_(device_.getTarget()) {
    graph::addCodelets(graph_);
    popops::addCodelets(graph_);
    const poplar::Tensor x = add("x", kElements, 1.0f);
    const poplar::Tensor y = add("y", kElements / 2, -1.0f);
    Sequence prog;
    for (unsigned v = 0; taps && v < visits; ++v)
      taps->visit(graph_, prog,
                  {"x" + (v == 0 ? "" : std::to_string(v)),
                   TensorKind::activation, TapMoment::microBatch, 0, x});
    popops::mulInPlace(graph_, x, 3.0f, prog);
    if (taps)
      taps->visit(graph_, prog,
                  {"y", TensorKind::gradient, TapMoment::microBatch, 0, y});
    popops::negInPlace(graph_, y, prog);
    if (taps)
      taps->flush(graph_, prog, TapMoment::microBatch);
    prog_ = prog;
  }

  // Behind what has been flushed.
  void visitLate(TapSession &taps, const poplar::Type &type) {
    const poplar::Tensor tensor = graph_.addVariable(type, {8}, "late");
    graph_.setTileMapping(tensor, 0);
    taps.visit(
        graph_, prog_,
        {"late", TensorKind::activation, TapMoment::microBatch, 0, tensor});
  }
  void load(TapSession *taps = nullptr) {
    engine_ = std::make_unique<poplar::Engine>(graph_, prog_);
    engine_->load(device_);
    if (taps)
      taps->connect(*engine_);
  }
  void resumeAt(TapSession &taps, std::uint32_t step) {
    taps.resumeAt(*engine_, Update(step));
  }
  void run(unsigned times) {
    for (unsigned i = 0; i < times; ++i)
      engine_->run();
  }
  std::vector<float> read(const char *name, std::size_t count) {
    std::vector<float> values(count);
    engine_->readTensor(name, values.data(), values.data() + count);
    return values;
  }
  std::string graphBytes() const {
    std::ostringstream bytes;
    graph_.serialize(bytes, poplar::SerializationFormat::Binary);
    return bytes.str();
  }

private:
  poplar::Tensor add(const char *name, std::size_t count, float sign) {
    const poplar::Tensor tensor =
        graph_.addVariable(poplar::FLOAT, {count}, name);
    for (unsigned t = 0; t < 4; ++t)
      graph_.setTileMapping(tensor.slice(count * t / 4, count * (t + 1) / 4),
                            t);
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = sign * float(i) / float(count);
    graph_.setInitialValue<float>(tensor, values);
    graph_.createHostRead(name, tensor);
    return tensor;
  }

  poplar::Device device_;
  poplar::Graph graph_;
  Sequence prog_;
  std::unique_ptr<poplar::Engine> engine_;
};

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
  Machine machine(&taps);
  machine.load(&taps);
  if (first != 0)
    machine.resumeAt(taps, first);
  machine.run(runs);
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

TEST(TapSession, FullTensorsKnowTheirUpdatesAfterDrops) {
  std::vector<std::int64_t> steps;
  std::promise<void> gate;
  TapOptions options;
  options.queueCapacity = 1;
  options.fullQueue = FullQueue::drop;
  TapSession taps({parseTapRule("x @ every 2 -> full")}, options);
  taps.addSink(std::make_unique<GateSink>(steps, gate.get_future().share()));
  Machine machine(&taps);
  machine.load(&taps);
  machine.run(20);
  gate.set_value();
  taps.sync();
  machine.run(1);
  EXPECT_GE(taps.close().dropped, 8u); // one is held at the gate, one waits
  EXPECT_EQ(steps.back(), 20);
}

TEST(TapSession, AddsNothingForTensorsNoRuleWants) {
  const Machine plain(nullptr);
  TapSession nothing({});
  EXPECT_EQ(Machine(&nothing).graphBytes(), plain.graphBytes());
  EXPECT_TRUE(nothing.program().sources().empty());

  TapSession onlyX({parseTapRule("x")});
  EXPECT_NE(Machine(&onlyX).graphBytes(), plain.graphBytes());
  EXPECT_EQ(onlyX.program().sources().size(), 1u);
}

TEST(TapSession, WatchingChangesNothing) {
  const auto results = [](TapSession *taps) {
    Machine machine(taps);
    machine.load(taps);
    machine.run(9);
    return std::make_pair(machine.read("x", kElements),
                          machine.read("y", kElements / 2));
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
    Machine machine(&taps);
    machine.visitLate(taps, poplar::FLOAT);
    EXPECT_THROW(machine.load(&taps), std::logic_error) << rule;
  }
}

TEST(TapSession, TypesThatCannotBeSummarisedAreRefusedInFullToo) {
  for (const char *rule : {"late", "late -> full"}) {
    TapSession taps({parseTapRule(rule)});
    Machine machine(&taps);
    EXPECT_THROW(machine.visitLate(taps, poplar::BOOL), std::invalid_argument)
        << rule;
  }
}

TEST(TapSession, KnowsBeforehandHowManyBytesWillCross) {
  for (const char *rule : {"*", "* @ every 3 -> identity", "x -> full"}) {
    TapOptions options;
    options.microBatchesPerUpdate = 2;
    TapSession taps({parseTapRule(rule)}, options);
    Machine machine(&taps);
    machine.load(&taps);
    machine.run(2 * 6);
    EXPECT_EQ(6 * taps.bytesPerUpdate(), taps.close().bytes) << rule;
  }
}

TEST(TapSession, KeepsTheFirstErrorAndGoesOn) {
  TapSession taps({parseTapRule("x")});
  taps.addSink(std::make_unique<BrokenSink>());
  Machine machine(&taps);
  machine.load(&taps);
  machine.run(200); // more than the queue holds
  const TapReport report = taps.close();
  ASSERT_EQ(report.losses.size(), 1u);
  EXPECT_EQ(report.losses[0].error, "the disk is full");
  EXPECT_EQ(report.losses[0].lostRecords, 200u);
  EXPECT_EQ(report.losses[0].firstLost, summary::Step(0));
  EXPECT_EQ(report.frames, 200u);
}

TEST(TapSession, ASinkThatThrowsStopsAlone) {
  std::vector<Told> before, after;
  TapSession taps({parseTapRule("x")});
  taps.addSink(std::make_unique<MemorySink>(before));
  taps.addSink(std::make_unique<BrokenSink>());
  taps.addSink(std::make_unique<MemorySink>(after));
  Machine machine(&taps);
  machine.load(&taps);
  machine.run(20);
  const TapReport report = taps.close();
  EXPECT_EQ(before.size(), 20u);
  EXPECT_EQ(after.size(), 20u);
  EXPECT_FALSE(report.isWhole());
  ASSERT_EQ(report.losses.size(), 1u);
  EXPECT_EQ(report.losses[0].error, "the disk is full");
}

TEST(TapSession, TheDeviceWaitsForASlowSinkAndNothingIsLost) {
  std::vector<std::int64_t> slow;
  std::vector<Told> told;
  std::promise<void> gate;
  TapOptions options;
  options.queueCapacity = 1;
  TapSession taps({parseTapRule("x -> full")}, options);
  taps.addSink(std::make_unique<GateSink>(slow, gate.get_future().share()));
  taps.addSink(std::make_unique<MemorySink>(told));
  Machine machine(&taps);
  machine.load(&taps);
  machine.run(1);
  std::thread opener([&gate] { gate.set_value(); });
  machine.run(19);
  opener.join();
  EXPECT_TRUE(taps.close().isWhole());
  EXPECT_EQ(slow.size(), 20u);
  EXPECT_EQ(told.size(), 20u);
}

TEST(TapSession, ReportsWhatItsSinksCouldNotWrite) {
  const tests::TempDir directory;
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
  Machine machine(&taps);
  machine.load(&taps);
  machine.run(3);
  taps.sync();
  ASSERT_EQ(atOnce.size(), 2u);
  machine.run(2);
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

TEST(TapSession, AlarmsGoToTheSinksThatWantThemAndToNoOther) {
  std::vector<Told> told, withAlarms;
  std::vector<std::string> planned;
  TapOptions options;
  options.health = true;
  TapSession taps({parseTapRule("x -> shape")}, options);
  taps.addSink(std::make_unique<MemorySink>(told));
  taps.addSink(std::make_unique<AlarmSink>(withAlarms, planned));
  Machine machine(&taps);
  machine.load(&taps);
  EXPECT_THAT(planned, ElementsAre("x", "y"));
  machine.run(2);
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

TEST(TapSession, SyncTellsAllSoFar) {
  std::vector<Told> told;
  TapSession taps({parseTapRule("x")});
  taps.addSink(std::make_unique<MemorySink>(told));
  Machine machine(&taps);
  machine.load(&taps);
  machine.run(5);
  taps.sync();
  EXPECT_EQ(told.size(), 5u);
  machine.run(2);
  taps.sync();
  EXPECT_EQ(told.size(), 7u);
}

TEST(TapSession, TapsOfAUnitShareOneStream) {
  TapSession taps({parseTapRule("*")});
  Machine machine(&taps, 20);
  ASSERT_EQ(taps.program().sources().size(), 1u);
  EXPECT_EQ(taps.program().sources()[0].records.size(), 21u);
}

TEST(TapSession, HasRoomForAThousandTaps) {
  std::vector<Told> told;
  TapSession taps({parseTapRule("* -> shape")});
  taps.addSink(std::make_unique<MemorySink>(told));
  Machine machine(&taps, 1000);
  machine.load(&taps);
  machine.run(2);
  EXPECT_EQ(taps.close().frames, 2u);
  EXPECT_EQ(told.size(), 2u * 1001);
}

} // namespace
} // namespace popscope::outfeed
