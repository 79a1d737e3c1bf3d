#include "host/callbacks/callback_thread.hpp"
#include "tests/support/reported_lines.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Writes the events it is given into a list.
class Recorder : public Callback {
public:
  Recorder(std::string name, std::vector<std::string> &events)
      : name_(std::move(name)), events_(events) {}

  std::string name() const override { return name_; }
  bool wantsBatches() const override { return true; }
  void trainBegin() override { add("train begin"); }
  void epochBegin(Epoch epoch) override {
    add("epoch begin " + std::to_string(epoch.index()));
  }
  void batchBegin(Batches done) override {
    add("batch begin after " + std::to_string(done.value()));
  }
  void batchEnd(const BatchResult &result) override {
    add("batch end after " + std::to_string(result.done.value()));
  }
  void epochEnd(const EpochResult &result) override {
    add("epoch end " + std::to_string(result.epoch.index()));
  }
  void trainEnd() override { add("train end"); }

private:
  void add(const std::string &event) {
    events_.push_back(name_ + ": " + event);
  }
  const std::string name_;
  std::vector<std::string> &events_;
};

class Failing : public Callback {
public:
  std::string name() const override { return "failing"; }
  void epochEnd(const EpochResult &) override {
    throw std::runtime_error("disk is on fire");
  }
};

class Slow : public Callback {
public:
  std::string name() const override { return "slow"; }
  bool wantsBatches() const override { return true; }
  void batchEnd(const BatchResult &) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
};

template <class... T>
std::vector<std::unique_ptr<Callback>> list(std::unique_ptr<T>... callbacks) {
  std::vector<std::unique_ptr<Callback>> all;
  (all.push_back(std::move(callbacks)), ...);
  return all;
}

EpochResult epoch(unsigned number) {
  EpochResult result;
  result.epoch = Epoch(number);
  return result;
}

BatchResult batch(std::uint64_t done) {
  BatchResult result;
  result.done = Batches(done);
  return result;
}

TEST(CallbackThread, EventsComeInOrderToEveryCallback) {
  std::vector<std::string> events;
  tests::ReportedLines reported;
  CallbackThread callbacks(list(std::make_unique<Recorder>("a", events),
                                std::make_unique<Recorder>("b", events)),
                           reported.report);
  callbacks.trainBegin();
  callbacks.epochBegin(Epoch(0));
  callbacks.batchBegin(Batches(0));
  callbacks.batchEnd(batch(1), 1.0);
  callbacks.epochEnd(epoch(0), 1.0);
  callbacks.trainEnd();
  callbacks.finish();
  EXPECT_TRUE(reported.report.isWhole());
  EXPECT_THAT(events,
              ElementsAre("a: train begin", "b: train begin",
                          "a: epoch begin 0", "b: epoch begin 0",
                          "a: batch begin after 0", "b: batch begin after 0",
                          "a: batch end after 1", "b: batch end after 1",
                          "a: epoch end 0", "b: epoch end 0", "a: train end",
                          "b: train end"));
}

TEST(CallbackThread, ErrorInOneIsReportedAndSparesTheOthers) {
  std::vector<std::string> events;
  tests::ReportedLines reported;
  CallbackThread callbacks(list(std::make_unique<Failing>(),
                                std::make_unique<Recorder>("after", events)),
                           reported.report);
  callbacks.epochEnd(epoch(2), 1.0);
  callbacks.epochEnd(epoch(3), 1.0);
  callbacks.finish();
  EXPECT_THAT(reported.lines, ElementsAre("callback failing: disk is on fire"))
      << "once";
  EXPECT_EQ(reported.report.text(), "not everything was written: callback "
                                    "failing: disk is on fire (lost from "
                                    "epoch 3)");
  EXPECT_THAT(events, ElementsAre("after: epoch end 2", "after: epoch end 3"));
}

TEST(CallbackThread, AQueueOfOneKeepsTheOrderAndLosesNothing) {
  std::vector<std::string> events, expected;
  tests::ReportedLines reported;
  CallbackThread callbacks(list(std::make_unique<Recorder>("a", events)),
                           reported.report, 1);
  callbacks.trainBegin();
  expected.emplace_back("a: train begin");
  for (unsigned i = 0; i < 200; ++i) {
    callbacks.batchEnd(batch(i), 1.0);
    expected.push_back("a: batch end after " + std::to_string(i));
    if (i % 50 == 0)
      callbacks.wait();
  }
  callbacks.finish();
  EXPECT_EQ(events, expected);
}

TEST(CallbackThread, IsLeftByAnExceptionOfTheTrainingWithAllEventsHandled) {
  std::vector<std::string> events;
  tests::ReportedLines reported;
  try {
    CallbackThread callbacks(
        list(std::make_unique<Slow>(), std::make_unique<Recorder>("a", events)),
        reported.report, 1);
    for (unsigned i = 0; i < 5; ++i)
      callbacks.batchEnd(batch(i), 1.0);
    throw std::runtime_error("the engine failed");
  } catch (const std::runtime_error &) {
  }
  EXPECT_EQ(events.size(), 5u);
}

// Takes long for the first batch only.
class SlowOnce : public Callback {
public:
  std::string name() const override { return "slow once"; }
  bool wantsBatches() const override { return true; }
  void batchEnd(const BatchResult &) override {
    if (calls_++ == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }

private:
  unsigned calls_ = 0;
};

TEST(CallbackThread, WaitReturnsWhenEveryEventIsHandled) {
  std::vector<std::string> events;
  tests::ReportedLines reported;
  CallbackThread callbacks(list(std::make_unique<SlowOnce>(),
                                std::make_unique<Recorder>("a", events)),
                           reported.report);
  callbacks.wait();                  // nothing to wait for
  callbacks.batchEnd(batch(1), 1.0); // takes long
  callbacks.wait();
  EXPECT_THAT(events, ElementsAre("a: batch end after 1"));
  callbacks.epochEnd(epoch(0), 1.0);
  callbacks.wait();
  EXPECT_EQ(events.size(), 2u);
}

// Says when it is gone.
class Closing : public Callback {
public:
  explicit Closing(bool &isClosed) : isClosed_(isClosed) {}
  ~Closing() override { isClosed_ = true; }
  std::string name() const override { return "closing"; }

private:
  bool &isClosed_;
};

TEST(CallbackThread, FinishClosesTheFilesOfTheCallbacks) {
  bool isClosed = false;
  tests::ReportedLines reported;
  CallbackThread callbacks(list(std::make_unique<Closing>(isClosed)),
                           reported.report);
  callbacks.trainEnd();
  EXPECT_FALSE(isClosed);
  callbacks.finish();
  EXPECT_TRUE(isClosed);
}

TEST(CallbackThread, SlowOnceIsNotReported) {
  tests::ReportedLines reported;
  CallbackThread callbacks(list(std::make_unique<SlowOnce>()), reported.report);
  for (std::uint64_t step = 1; step <= 10; ++step)
    callbacks.batchEnd(batch(step), 20e-3); // less than once, altogether
  callbacks.finish();
  EXPECT_THAT(reported.lines, IsEmpty());
}

TEST(CallbackThread, SlowerThanTheBatchIsReportedOnceWithBothTimes) {
  tests::ReportedLines reported;
  CallbackThread callbacks(list(std::make_unique<Slow>()), reported.report);
  for (std::uint64_t step = 1; step <= 20; ++step)
    callbacks.batchEnd(batch(step), 1e-3);
  callbacks.finish();
  EXPECT_TRUE(reported.report.isWhole()) << "slow is no loss";
  ASSERT_EQ(reported.lines.size(), 1u);
  EXPECT_THAT(reported.lines[0],
              ::testing::MatchesRegex("callback slow is slower than the batch: "
                                      "[0-9.]+ ms against 1 ms"));
}

TEST(CallbackThread, FasterThanTheBatchIsNotReported) {
  tests::ReportedLines reported;
  CallbackThread callbacks(list(std::make_unique<Slow>()), reported.report);
  for (std::uint64_t step = 1; step <= 10; ++step)
    callbacks.batchEnd(batch(step), 10.0);
  callbacks.finish();
  EXPECT_THAT(reported.lines, IsEmpty());
}

TEST(CallbackThread, DestructionHandlesWhatIsQueued) {
  std::vector<std::string> events;
  tests::ReportedLines reported;
  {
    CallbackThread callbacks(list(std::make_unique<Recorder>("a", events)),
                             reported.report);
    for (unsigned i = 0; i < 200; ++i)
      callbacks.epochBegin(Epoch(i));
  }
  EXPECT_EQ(events.size(), 200u);
}

TEST(Stagger, EveryNthAndTheFirstIfAsked) {
  std::vector<unsigned> due, dueWithFirst;
  for (unsigned epoch = 0; epoch < 21; ++epoch) {
    if (Stagger{10}.isDue(Epoch(epoch)))
      due.push_back(epoch + 1);
    if (Stagger{10, true}.isDue(Epoch(epoch)))
      dueWithFirst.push_back(epoch + 1);
  }
  EXPECT_THAT(due, ElementsAre(10, 20));
  EXPECT_THAT(dueWithFirst, ElementsAre(1, 10, 20));
}

TEST(Stagger, ZeroIsNever) {
  for (unsigned epoch = 0; epoch < 3; ++epoch)
    EXPECT_FALSE(Stagger{0}.isDue(Epoch(epoch)));
  EXPECT_FALSE(Stagger{0}.isEverDue(3));
  const Stagger neverNorFirst{0, true};
  EXPECT_FALSE(neverNorFirst.isDue(Epoch(0)) || neverNorFirst.isEverDue(3));
}

class WantsWeights : public StaggeredCallback {
public:
  explicit WantsWeights(Stagger stagger)
      : StaggeredCallback(stagger, kWantsWeights) {}
  std::string name() const override { return "wants weights"; }

protected:
  void dueEpochEnd(const EpochResult &) override {}
};

TEST(CallbackThread, WantsWhatAnyCallbackWants) {
  std::vector<std::string> events;
  tests::ReportedLines reported;
  CallbackThread callbacks(list(std::make_unique<Recorder>("a", events),
                                std::make_unique<WantsWeights>(Stagger{2})),
                           reported.report);
  EXPECT_FALSE(callbacks.wants(Epoch(0)).weights);
  EXPECT_TRUE(callbacks.wants(Epoch(1)).weights);
  EXPECT_FALSE(callbacks.wants(Epoch(1)).testPredictions);
  EXPECT_TRUE(callbacks.wantsBatches());
}

} // namespace
} // namespace popscope::host
