#include "host/train/watch/trial_rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using testing::ElementsAre;

TEST(TrialRounds, GoForwardsAndBackwardsInTurn) {
  TrialRounds rounds({1, 2, 1});
  std::vector<std::size_t> order;
  for (int run = 0; run < 8; ++run) {
    order.push_back(rounds.next());
    rounds.took(1.0);
  }
  EXPECT_THAT(order, ElementsAre(0, 1, 1, 2, 2, 1, 1, 0));
}

TEST(TrialRounds, AreCountedWhenTheyAreComplete) {
  TrialRounds rounds({1, 2});
  EXPECT_FALSE(rounds.took(1.0));
  EXPECT_FALSE(rounds.took(1.0));
  EXPECT_EQ(rounds.rounds(), 0u);
  EXPECT_TRUE(rounds.took(1.0));
  EXPECT_EQ(rounds.rounds(), 1u);
}

TEST(TrialRounds, FindWhatATrialAddsThoughAllBecomeSlower) {
  // Each run is slower than the one before; trial 1 costs 10 % more.
  TrialRounds rounds({1, 1, 1});
  double pace = 1.0;
  while (rounds.rounds() < 20) {
    rounds.took(pace * (rounds.next() == 1 ? 1.1 : 1.0));
    pace *= 1.001;
  }
  EXPECT_NEAR(rounds.shareOf(1).share, 0.1, 0.0005);
  EXPECT_NEAR(rounds.shareOf(2).share, 0.0, 0.0005);
  EXPECT_TRUE(rounds.shareOf(1).isKnown());
  EXPECT_FALSE(rounds.shareOf(2).isKnown());
}

TEST(TrialRounds, AverageTheRunsOfATrial) {
  TrialRounds rounds({1, 4});
  unsigned run = 0; // of trial 1: one of four takes 40 % longer
  while (rounds.rounds() < kLeastMeasurements)
    rounds.took(rounds.next() == 1 && run++ % 4 == 0 ? 1.4 : 1.0);
  EXPECT_NEAR(rounds.shareOf(1).share, 0.1, 1e-9);
}

} // namespace
} // namespace popscope::host
