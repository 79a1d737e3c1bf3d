#include "host/train/watch/watch_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace popscope::host {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr unsigned kUpdatesPerExecution = 8;

// A training whose executions take a second, and rules that add to it in
// proportion to how often they are due.
class Training {
public:
  explicit Training(std::vector<double> costs, double noise = 0.0)
      : costs_(std::move(costs)), noise_(0.0, noise) {}

  double costOf(const std::vector<std::uint32_t> &every) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < every.size(); ++i)
      sum += every[i] == 0 ? 0.0 : costs_[i] / every[i];
    return sum;
  }
  // As many executions, unless it is settled before; how many there were.
  unsigned run(WatchBudget &budget, unsigned executions) {
    for (unsigned i = 0; i < executions; ++i) {
      if (budget.isSettled())
        return i;
      budget.took((1.0 + costOf(budget.next())) * (1.0 + noise_(random_)));
    }
    return executions;
  }

private:
  const std::vector<double> costs_; // when due at every update
  std::normal_distribution<double> noise_;
  std::mt19937 random_{3};
};

TEST(WatchBudget, LeavesRulesAloneThatFit) {
  WatchBudget budget(0.02, {{"rule 1", 1}, {"rule 2", 10}},
                     kUpdatesPerExecution);
  Training training({0.01, 0.05});
  training.run(budget, 1000);
  ASSERT_TRUE(budget.isSettled());
  EXPECT_THAT(budget.next(), ElementsAre(1, 10));
  EXPECT_NEAR(budget.costOf(0)->share, 0.01, 1e-6);
  EXPECT_NEAR(budget.costOf(1)->share, 0.005, 1e-6);
  EXPECT_THAT(budget.line(),
              AllOf(HasSubstr("budget of 2 %: watching costs 1.5"),
                    HasSubstr("nothing had to be thinned")));
}

TEST(WatchBudget, ThinsTheDearestUntilTheyFit) {
  WatchBudget budget(0.02, {{"rule 1", 1}, {"rule 2", 1}},
                     kUpdatesPerExecution);
  Training training({0.10, 0.01});
  training.run(budget, 1000);
  ASSERT_TRUE(budget.isSettled());
  EXPECT_THAT(budget.next(), ElementsAre(16, 1));
  EXPECT_NEAR(budget.costOf(0)->share, 0.10 / 16, 1e-6);
  EXPECT_THAT(budget.line(),
              HasSubstr("rule 1 is due every 16 updates instead of every one"));
}

TEST(WatchBudget, HoldsDespiteNoise) {
  for (const double share : {0.01, 0.03}) {
    WatchBudget budget(share, {{"rule 1", 1}, {"rule 2", 4}, {"rule 3", 1}},
                       kUpdatesPerExecution);
    Training training({0.08, 0.2, 0.02}, 0.003);
    training.run(budget, 5000);
    ASSERT_TRUE(budget.isSettled());
    EXPECT_LT(training.costOf(budget.next()), share + 0.003);
  }
}

TEST(WatchBudget, CorrectsWhatRulesCostTogether) {
  // Together they cost three times what they cost apart.
  WatchBudget budget(0.02, {{"rule 1", 1}, {"rule 2", 1}},
                     kUpdatesPerExecution);
  const auto cost = [](const std::vector<std::uint32_t> &every) {
    const double a = every[0] ? 0.009 / every[0] : 0.0;
    const double b = every[1] ? 0.009 / every[1] : 0.0;
    return a != 0.0 && b != 0.0 ? 3 * (a + b) : a + b;
  };
  for (int i = 0; i < 1000; ++i)
    budget.took(1.0 + cost(budget.next()));
  ASSERT_TRUE(budget.isSettled());
  EXPECT_LE(cost(budget.next()), 0.02);
}

TEST(WatchBudget, TurnsEveryRuleOnAndOffWhileItMeasures) {
  WatchBudget budget(0.02, {{"rule 1", 1}, {"rule 2", 3}},
                     kUpdatesPerExecution);
  std::set<std::vector<std::uint32_t>> tried;
  for (int i = 0; i < 1000; ++i) {
    tried.insert(budget.next());
    budget.took(1.0);
  }
  EXPECT_THAT(tried, testing::UnorderedElementsAre(
                         ElementsAre(1, 3), ElementsAre(0, 0),
                         ElementsAre(1, 0), ElementsAre(0, 3)));
}

TEST(WatchBudget, MeasuresLongerWhereNoiseHidesTheCost) {
  const auto executions = [](double noise) {
    WatchBudget budget(0.02, {{"rule 1", 1}}, kUpdatesPerExecution);
    return Training({0.015}, noise).run(budget, 5000);
  };
  EXPECT_EQ(executions(0.0), 1 + 2 * 2 * kLeastMeasurements);
  EXPECT_GT(executions(0.05), executions(0.0));
}

TEST(WatchBudget, SaysThatItIsTooNoisyToTell) {
  WatchBudget budget(0.001, {{"rule 1", 1}}, kUpdatesPerExecution);
  Training training({0.0}, 0.1);
  training.run(budget, 1000000);
  ASSERT_TRUE(budget.isSettled());
  EXPECT_THAT(budget.line(), AllOf(HasSubstr("watching costs < "),
                                   HasSubstr("too noisy to say")));
}

TEST(WatchBudget, SaysIfEvenTheThinnestScheduleDoesNotFit) {
  WatchBudget budget(0.02, {{"rule 1", 1}}, kUpdatesPerExecution);
  // However seldom it is due, it costs half the time.
  for (int i = 0; i < 100000 && !budget.isSettled(); ++i)
    budget.took(budget.next()[0] == 0 ? 1.0 : 1.5);
  ASSERT_TRUE(budget.isSettled());
  EXPECT_THAT(budget.line(),
              AllOf(HasSubstr("watching costs 50"),
                    HasSubstr("more than that even at the thinnest schedules"),
                    HasSubstr("every 1024 updates")));
}

TEST(WatchBudget, SaysThatAShortTrainingWasNotMeasured) {
  WatchBudget budget(0.02, {{"rule 1", 1}}, kUpdatesPerExecution);
  Training training({0.10});
  EXPECT_EQ(training.run(budget, 5), 5u);
  EXPECT_FALSE(budget.isSettled());
  EXPECT_FALSE(budget.costOf(0));
  EXPECT_THAT(budget.line(), AllOf(HasSubstr("too short to measure"),
                                   HasSubstr("takes 19 executions")));
}

TEST(WatchBudget, SaysThatWhatItDecidedWasNotMeasuredAnyMore) {
  WatchBudget budget(0.02, {{"rule 1", 1}}, kUpdatesPerExecution);
  Training training({0.10});
  EXPECT_EQ(training.run(budget, 20), 20u);
  EXPECT_FALSE(budget.isSettled());
  EXPECT_THAT(budget.line(),
              AllOf(HasSubstr("by calculation"), HasSubstr("ended before"),
                    HasSubstr("every 8 updates")));
}

} // namespace
} // namespace popscope::host
