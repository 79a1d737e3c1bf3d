// A small program with 200 taps runs for long: a few thousand updates, or as
// many as POPSCOPE_SOAK_UPDATES says.
#include "graph/codelets.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "outfeed/tap_session.hpp"
#include "tests/support/process_status.hpp"
#include "tests/support/temp_dir.hpp"

#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace popscope::outfeed {
namespace {

using popscope::tests::ProcessStatus;

constexpr unsigned kTaps = 200;
constexpr unsigned kUpdatesPerRun = 100;

unsigned updatesToRun() {
  const char *const asked = std::getenv("POPSCOPE_SOAK_UPDATES");
  return asked ? unsigned(std::atoi(asked)) : 3000;
}

// What it is given has to be of the updates in order, and say their numbers.
class Judge : public SampleSink {
public:
  struct Seen {
    std::uint64_t samples = 0;
    std::uint64_t wrong = 0; // not what the tensor held
    std::uint64_t outOfOrder = 0;
    std::uint64_t skipped = 0; // samples
  };
  // `delay` is slept once in an update.
  Judge(Seen &seen, std::chrono::nanoseconds delay)
      : seen_(seen), delay_(delay) {}

  void take(const Tap &tap, Update update,
            const TensorSample &sample) override {
    ++seen_.samples;
    seen_.wrong += sample.stats.max != double(update.value());
    std::uint32_t &next = next_[&tap];
    seen_.outOfOrder += update.value() < next;
    seen_.skipped += update.value() > next ? update.value() - next : 0;
    next = update.value() + 1;
    if (delay_.count() != 0 && tap.id == TapId(0))
      std::this_thread::sleep_for(delay_);
  }

private:
  Seen &seen_;
  const std::chrono::nanoseconds delay_;
  std::unordered_map<const Tap *, std::uint32_t> next_;
};

// Passes on every hundredth update, into files that rotate.
class Thinned : public SampleSink {
public:
  explicit Thinned(const std::filesystem::path &run) {
    summary::EventWriterOptions options;
    options.rotateBytes = 1 << 20;
    options.keepFiles = 2;
    writer_ = std::make_shared<summary::EventWriter>(run, options);
    events_ = std::make_unique<EventSink>([this] { return writer_; });
  }
  void begin(const TapPlan &plan) override { events_->begin(plan); }
  void take(const Tap &tap, Update update,
            const TensorSample &sample) override {
    if (update.value() % 100 == 0)
      events_->take(tap, update, sample);
  }
  void flush() override { events_->flush(); }
  void close(const TapReport &report) override { events_->close(report); }

private:
  std::shared_ptr<summary::EventWriter> writer_;
  std::unique_ptr<EventSink> events_;
};

struct SoakOptions {
  TapOptions taps = {};
  std::chrono::nanoseconds delay{0}; // of the sink, in each update
  bool writesEvents = false;
};

// Its tensor holds the number of the update.
class Soak {
public:
  explicit Soak(const SoakOptions &options)
      : taps_({parseTapRule("* -> stats")}, options.taps),
        device_(poplar::IPUModel().createDevice()),
        graph_(device_.getTarget()) {
    taps_.addSink(std::make_unique<Judge>(seen, options.delay));
    if (options.writesEvents)
      taps_.addSink(std::make_unique<Thinned>(directory_.path()));
    graph::addCodelets(graph_);
    popops::addCodelets(graph_);
    const poplar::Tensor x = graph_.addVariable(poplar::FLOAT, {4}, "x");
    graph_.setTileMapping(x, 0);
    graph_.setInitialValue(x, poplar::ArrayRef<float>({0, 0, 0, 0}));
    const poplar::Tensor one =
        graph_.addConstant<float>(poplar::FLOAT, {}, 1.0f);
    graph_.setTileMapping(one, 0);
    poplar::program::Sequence body;
    for (unsigned tap = 0; tap < kTaps; ++tap)
      taps_.visit(graph_, body,
                  {"x" + std::to_string(tap), graph::TensorKind::activation,
                   graph::TapMoment::microBatch, 0, x});
    popops::addInPlace(graph_, x, one, body);
    taps_.flush(graph_, body, graph::TapMoment::microBatch);
    engine_ = std::make_unique<poplar::Engine>(
        graph_, poplar::program::Repeat(kUpdatesPerRun, body));
    engine_->load(device_);
    taps_.connect(*engine_);
  }

  void run(unsigned updates) {
    for (unsigned done = 0; done < updates; done += kUpdatesPerRun)
      engine_->run();
    taps_.sync();
  }
  TapReport close() { return taps_.close(); }

  Judge::Seen seen;

private:
  const popscope::tests::TempDir directory_;
  TapSession taps_;
  poplar::Device device_;
  poplar::Graph graph_;
  std::unique_ptr<poplar::Engine> engine_;
};

// Runs to the end, and says how memory and descriptors were at a fifth of the
// way and at the end.
void expectFlat(Soak &soak, unsigned updates, const char *what) {
  const unsigned first = updates / 5 / kUpdatesPerRun * kUpdatesPerRun;
  soak.run(first);
  const ProcessStatus early = ProcessStatus::now();
  soak.run(updates - first);
  const ProcessStatus late = ProcessStatus::now();
  const double growth =
      double(late.residentBytes) - double(early.residentBytes);
  std::cout << what << ": " << updates << " updates of " << kTaps
            << " taps; resident " << early.residentBytes / 1024 << " KiB after "
            << first << ", " << late.residentBytes / 1024 << " KiB at the end, "
            << growth / (updates - first) << " bytes an update; "
            << late.descriptors << " descriptors\n";
  EXPECT_EQ(late.descriptors, early.descriptors);
  if (ProcessStatus::isMemoryTold) {
    EXPECT_LT(growth, 1 << 20);
    EXPECT_LT(late.mostResidentBytes - early.mostResidentBytes, 1u << 20)
        << "in between";
  }
}

// Of the processor: on a machine with other work it would seem slower.
std::chrono::nanoseconds timeOfAnUpdate() {
  Soak soak({});
  soak.run(kUpdatesPerRun); // what is made once
  const std::clock_t start = std::clock();
  soak.run(kUpdatesPerRun);
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  return std::chrono::nanoseconds(
      static_cast<std::int64_t>(1e9 * seconds / kUpdatesPerRun));
}

void expectAll(const Soak &soak, unsigned updates) {
  EXPECT_EQ(soak.seen.samples, std::uint64_t(updates) * kTaps);
  EXPECT_EQ(soak.seen.skipped, 0u);
  EXPECT_EQ(soak.seen.outOfOrder, 0u);
  EXPECT_EQ(soak.seen.wrong, 0u);
}

TEST(Soak, WaitingLosesNothingAndTakesNoMoreMemory) {
  SoakOptions options;
  options.writesEvents = true;
  Soak soak(options);
  expectFlat(soak, updatesToRun(), "waiting");
  const TapReport report = soak.close();
  EXPECT_TRUE(report.isWhole());
  expectAll(soak, updatesToRun());
}

TEST(Soak, AQueueOfOneLosesNothing) {
  SoakOptions options;
  options.taps.queueCapacity = 1;
  Soak soak(options);
  constexpr unsigned kUpdates = 500;
  soak.run(kUpdates);
  EXPECT_TRUE(soak.close().isWhole());
  expectAll(soak, kUpdates);
}

TEST(Soak, DroppingCountsExactlyWhatIsLost) {
  SoakOptions options;
  options.taps.queueCapacity = 1;
  options.taps.fullQueue = FullQueue::drop;
  options.delay = 10 * timeOfAnUpdate();
  Soak soak(options);
  const unsigned updates = updatesToRun();
  expectFlat(soak, updates, "dropping");
  const TapReport report = soak.close();
  EXPECT_EQ(report.frames, updates);
  EXPECT_GT(report.dropped, 0u);
  EXPECT_EQ(soak.seen.samples, (report.frames - report.dropped) * kTaps);
  EXPECT_EQ(soak.seen.outOfOrder, 0u);
  EXPECT_EQ(soak.seen.wrong, 0u);
  std::cout << "dropped " << report.dropped << " of " << report.frames
            << " frames, counted exactly\n";
}

TEST(Soak, ASinkAHundredTimesSlowerTakesNoMemoryAndNoOneForEver) {
  SoakOptions options;
  options.taps.queueCapacity = 4;
  options.delay = 100 * timeOfAnUpdate();
  Soak soak(options);
  constexpr unsigned kUpdates = 5 * kUpdatesPerRun;
  expectFlat(soak, kUpdates, "100 times slower");
  EXPECT_TRUE(soak.close().isWhole());
  expectAll(soak, kUpdates);
}

} // namespace
} // namespace popscope::outfeed
