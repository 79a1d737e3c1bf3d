// When a training saves its checkpoints.
#include "host/plan/options/device.hpp"
#include "host/train/trainer.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/reported_lines.hpp"
#include "tests/support/temp_dir.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

namespace popscope::host {
namespace {

TrainingData fourDigits() {
  Dataset set;
  set.rows = set.columns = 8;
  set.pixels.resize(std::size_t(4) * 8 * 8);
  set.labels = {0, 1, 2, 3};
  TrainingData data;
  data.train = data.test = data.sample = set;
  data.classes = 10;
  return data;
}

// Has its point in no file before the next checkpoint, unless that waits.
class SlowLog : public Callback {
public:
  explicit SlowLog(const RunDirectory &run) : writer_(run.writer("train")) {}
  std::string name() const override { return "SlowLog"; }
  void epochEnd(const EpochResult &result) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    writer_->scalar(summary::Tag("x"), summary::Step(result.epoch.index()), 1);
  }

private:
  std::shared_ptr<summary::EventWriter> writer_;
};

// Otherwise a kill right after it would lose the points for ever: a resumed
// training does not come back to them.
TEST(Trainer, ACheckpointComesAfterThePointsOfItsEpochsAreInTheirFiles) {
  TrainOptions options;
  options.preset = "digits";
  options.epochs = 3;
  const TrainingData data = fourDigits();
  const TrainingPlan plan = planTraining(choosePreset(options), options, data);
  const tests::TempDir logs;
  tests::ReportedLines reported;
  RunDirectory run(logs.path(), "r", ExistingRun::refuse, reported.report);
  outfeed::SoleInstance instances;
  ModelEngine model(openDevice(DeviceChoice::model, {1, 4}), plan.spec,
                    instances, plan.seed);
  std::vector<std::unique_ptr<Callback>> slow;
  slow.push_back(std::make_unique<SlowLog>(run));
  CallbackThread callbacks(std::move(slow), reported.report);
  std::ostringstream out;
  TrainingProgress progress(out, {});
  std::vector<std::pair<std::uint64_t, std::size_t>> batchesAndPoints;
  const auto checkpointed = [&](Batches done) {
    const auto events = tests::readRun(run.path() / "train");
    batchesAndPoints.emplace_back(done.value(),
                                  tests::stepsOf(events, "x").size());
  };
  Trainer trainer(plan, {model, data, reported.report, &run, callbacks,
                         progress, nullptr, out, checkpointed, 0.0});
  EXPECT_TRUE(trainer.train(InterruptGuard()));
  using ::testing::Pair;
  EXPECT_THAT(batchesAndPoints,
              ::testing::ElementsAre(Pair(0, 0), Pair(1, 1), Pair(2, 2),
                                     Pair(3, 3), Pair(3, 3)));
}

} // namespace
} // namespace popscope::host
