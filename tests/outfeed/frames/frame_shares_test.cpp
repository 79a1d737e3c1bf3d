#include "outfeed/frames/frame_shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr unsigned kReplicas = 3;

Frame share(unsigned replica, unsigned source = 0) {
  return {{source, replica, 0}, {std::byte(replica + 1)}, false};
}

std::vector<unsigned> executions(const std::vector<FrameShares::Set> &sets) {
  std::vector<unsigned> result;
  for (const FrameShares::Set &set : sets)
    result.push_back(set.execution);
  return result;
}

TEST(FrameShares, ASetIsReadWhenTheLastReplicaHasCome) {
  FrameShares shares(kReplicas);
  EXPECT_THAT(shares.add(share(2), 0), IsEmpty());
  EXPECT_THAT(shares.add(share(0), 0), IsEmpty());
  EXPECT_THAT(shares.add(share(0), 1), IsEmpty());
  EXPECT_THAT(shares.add(share(0, 7), 0), IsEmpty()); // another source
  const auto ready = shares.add(share(1), 0);
  ASSERT_THAT(executions(ready), ElementsAre(0));
  EXPECT_EQ(ready[0].missing, 0u);
  for (unsigned replica = 0; replica < kReplicas; ++replica)
    EXPECT_THAT(ready[0].bytes[replica], ElementsAre(std::byte(replica + 1)));
}

TEST(FrameShares, WhatWasDroppedIsNotWaitedFor) {
  FrameShares shares(kReplicas);
  for (const unsigned execution : {0u, 1u}) {
    EXPECT_THAT(shares.add(share(0), execution), IsEmpty());
    EXPECT_THAT(shares.add(share(1), execution), IsEmpty());
  }
  const auto ready = shares.add(share(2), 1); // that of execution 0 was dropped
  ASSERT_THAT(executions(ready), ElementsAre(0, 1));
  EXPECT_EQ(ready[0].missing, 1u);
  EXPECT_THAT(ready[0].bytes[2], IsEmpty());
  EXPECT_EQ(ready[1].missing, 0u);
}

TEST(FrameShares, KeepsFewThatAreNotWhole) {
  FrameShares shares(kReplicas);
  for (unsigned execution = 0; execution < FrameShares::kMostOpen; ++execution)
    EXPECT_THAT(shares.add(share(0), execution), IsEmpty());
  EXPECT_THAT(executions(shares.add(share(0), FrameShares::kMostOpen)),
              ElementsAre(0));
  EXPECT_EQ(shares.takeAll().size(), FrameShares::kMostOpen);
  EXPECT_THAT(shares.takeAll(), IsEmpty());
}

TEST(FrameShares, AShareThatComesTwiceCountsOnce) {
  FrameShares shares(kReplicas);
  for (unsigned times = 0; times < kReplicas; ++times)
    EXPECT_THAT(shares.add(share(1), 0), IsEmpty());
}

} // namespace
} // namespace popscope::outfeed
