#include "host/train/watch/cost_rehearsal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

constexpr unsigned kRounds = kLeastMeasurements;

// A program of three rules whose clock is the test's. An update takes a second
// and what the rules that are due at it add; the host works between executions.
class Program {
public:
  explicit Program(std::vector<double> costs) : costs_(std::move(costs)) {}

  double now() const { return now_; }
  void execute(CostRehearsal &rehearsal, unsigned updates) {
    for (unsigned u = 0; u < updates; ++u) {
      const std::vector<bool> &due = rehearsal.beginUpdate();
      now_ += 1.0;
      for (std::size_t rule = 0; rule < costs_.size(); ++rule)
        now_ += due[rule] ? costs_[rule] : 0.0;
    }
    now_ += 5.0; // what ends an execution
    rehearsal.endExecution();
    now_ += 7.0;
  }

private:
  const std::vector<double> costs_;
  double now_ = 100.0;
};

TEST(CostRehearsal, FindsWhatEachRuleAddsToAnUpdate) {
  Program program({0.3, 0.02, 0.0});
  CostRehearsal rehearsal(3, {0, 1, 2}, 8, kRounds,
                          [&] { return program.now(); });
  while (!rehearsal.isDone())
    program.execute(rehearsal, 8);
  const std::vector<MeasuredShare> costs = rehearsal.costs();
  EXPECT_NEAR(costs[0].share, 0.3, 1e-9);
  EXPECT_NEAR(costs[1].share, 0.02, 1e-9);
  EXPECT_NEAR(costs[2].share, 0.0, 1e-9);
  EXPECT_NEAR(costs[0].error, 0.0, 1e-9);
}

TEST(CostRehearsal, LeavesRulesOffThatItDoesNotMeasure) {
  Program program({0.3, 50.0, 0.1});
  CostRehearsal rehearsal(3, {0, 2}, 8, kRounds, [&] { return program.now(); });
  while (!rehearsal.isDone())
    program.execute(rehearsal, 8);
  EXPECT_NEAR(rehearsal.costs()[0].share, 0.3, 1e-9);
  EXPECT_NEAR(rehearsal.costs()[1].share, 0.1, 1e-9);
}

TEST(CostRehearsal, TimesExecutionsOfFewUpdatesAsAWhole) {
  Program program({0.3});
  CostRehearsal rehearsal(1, {0}, 2, kRounds, [&] { return program.now(); });
  while (!rehearsal.isDone())
    program.execute(rehearsal, 2);
  // Seven seconds without it: two updates and what ends the execution.
  EXPECT_NEAR(rehearsal.costs()[0].share, 0.6 / 7, 1e-9);
}

TEST(CostRehearsal, TakesNoMoreUpdatesThanItsRoundsWereChosenFor) {
  for (const unsigned updatesPerExecution : {1u, 2u, 8u, 50u})
    for (const unsigned limit : {100u, 1000u, 10000u}) {
      const unsigned rounds =
          CostRehearsal::roundsIn(limit, 3, updatesPerExecution);
      if (rounds < kRounds)
        continue;
      Program program({0.3, 0.02, 0.0});
      CostRehearsal rehearsal(3, {0, 1, 2}, updatesPerExecution, rounds,
                              [&] { return program.now(); });
      unsigned updates = 0;
      while (!rehearsal.isDone()) {
        program.execute(rehearsal, updatesPerExecution);
        updates += updatesPerExecution;
      }
      EXPECT_LE(updates, limit) << updatesPerExecution << " an execution";
    }
}

} // namespace
} // namespace popscope::host
