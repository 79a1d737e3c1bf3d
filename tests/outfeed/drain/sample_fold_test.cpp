#include "outfeed/drain/sample_fold.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr unsigned kReplicas = 4, kMicroBatches = 8;

struct Taken {
  std::string tag;
  std::uint32_t update;
  TensorSample sample;
};

TensorSample sampleOf(unsigned replica, unsigned microBatch) {
  std::mt19937 random(100 * replica + microBatch);
  std::normal_distribution<float> normal(0.1f, float(1 + replica));
  std::vector<float> values(1000);
  for (float &value : values)
    value = normal(random);
  TensorSample sample = sampleOfFloats(values);
  for (float &bucket : sample.sketch)
    bucket = normal(random);
  return sample;
}

// All that depends on the order of addition.
std::string bitsOf(const TensorSample &sample) {
  const summary::TensorStats &stats = sample.stats;
  const double sums[] = {stats.mean, stats.m2,     stats.m3,
                         stats.m4,   stats.sumAbs, stats.sumSquares};
  std::string bits(sizeof sums + sizeof sample.sketch, '\0');
  std::memcpy(bits.data(), sums, sizeof sums);
  std::memcpy(bits.data() + sizeof sums, sample.sketch.data(),
              sizeof sample.sketch);
  return bits;
}

class SampleFoldTest : public ::testing::Test {
protected:
  SampleFoldTest() {
    tap.tensor.name = "k";
    tap.tensor.moment = graph::TapMoment::microBatch;
  }
  SampleFold make(unsigned replicas, Fold fold = Fold::together) {
    return SampleFold(
        fold, replicas,
        [this](const Tap &tap, Update update, const TensorSample &sample) {
          taken.push_back({tagOf(tap), update.value(), sample});
        });
  }
  void add(SampleFold &fold, std::uint32_t update, SampleOrigin origin,
           const TensorSample &sample,
           unsigned samplesPerUpdate = kMicroBatches) const {
    fold.add({tap, Update(update), origin, samplesPerUpdate, sample});
  }
  void addOne(SampleFold &fold, std::uint32_t update, unsigned replica) const {
    add(fold, update, {replica, 0}, sampleOf(replica, 0), 1);
  }
  std::vector<std::uint32_t> updates() const {
    std::vector<std::uint32_t> numbers;
    for (const Taken &one : taken)
      numbers.push_back(one.update);
    return numbers;
  }

  Tap tap;
  std::vector<Taken> taken;
};

// Each replica over its micro-batches, then the replicas in ascending order.
TensorSample foldedByHand() {
  TensorSample all;
  for (unsigned replica = 0; replica < kReplicas; ++replica) {
    TensorSample one = sampleOf(replica, 0);
    for (unsigned m = 1; m < kMicroBatches; ++m)
      one.merge(sampleOf(replica, m));
    if (replica == 0)
      all = one;
    else
      all.merge(one);
  }
  return all;
}

TEST_F(SampleFoldTest, GivesTheSameBitsWhicheverReplicaArrivesFirst) {
  const std::string expected = bitsOf(foldedByHand());
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    SampleFold fold = make(kReplicas);
    std::vector<unsigned> next(kReplicas, 0);
    for (unsigned left = kReplicas * kMicroBatches; left != 0;) {
      const unsigned replica = unsigned(random() % kReplicas);
      if (next[replica] == kMicroBatches)
        continue;
      const unsigned m = next[replica]++;
      add(fold, 7, {replica, m}, sampleOf(replica, m));
      --left;
    }
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0].update, 7u);
    EXPECT_EQ(taken[0].sample.parts, kReplicas * kMicroBatches);
    EXPECT_EQ(bitsOf(taken[0].sample), expected);
    taken.clear();
  }
}

TEST_F(SampleFoldTest, GivesTheSameBitsIfEachReplicaWasFoldedBefore) {
  for (unsigned replica = 0; replica < kReplicas; ++replica) {
    SampleFold ofReplica = make(1);
    for (unsigned m = 0; m < kMicroBatches; ++m)
      add(ofReplica, 0, {0, m}, sampleOf(replica, m));
  }
  const std::vector<Taken> replicas = taken;
  ASSERT_EQ(replicas.size(), kReplicas);
  taken.clear();
  SampleFold fold = make(kReplicas);
  for (unsigned replica = kReplicas; replica-- > 0;)
    add(fold, 0, {replica, 0}, replicas[replica].sample, 1);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(bitsOf(taken[0].sample), bitsOf(foldedByHand()));
}

TEST_F(SampleFoldTest, TellsAnUpdateAsSoonAsItIsComplete) {
  SampleFold fold = make(2);
  addOne(fold, 0, 0);
  EXPECT_THAT(updates(), IsEmpty());
  addOne(fold, 0, 1);
  EXPECT_THAT(updates(), ElementsAre(0u));
}

TEST_F(SampleFoldTest, AReplicaMayBeAheadOfAnother) {
  SampleFold fold = make(2);
  for (const std::uint32_t update : {0u, 1u, 2u})
    addOne(fold, update, 0);
  for (const std::uint32_t update : {0u, 1u, 2u})
    addOne(fold, update, 1);
  EXPECT_THAT(updates(), ElementsAre(0u, 1u, 2u));
  for (const Taken &one : taken)
    EXPECT_EQ(one.sample.parts, 2u);
  EXPECT_EQ(fold.late(), 0u);
}

TEST_F(SampleFoldTest, AnUpdateThatLostSamplesIsToldBeforeALaterOne) {
  SampleFold fold = make(2);
  addOne(fold, 0, 0); // the other one was dropped
  addOne(fold, 1, 1);
  EXPECT_THAT(updates(), IsEmpty());
  addOne(fold, 1, 0);
  EXPECT_THAT(updates(), ElementsAre(0u, 1u));
  EXPECT_EQ(taken[0].sample.parts, 1u);
  EXPECT_EQ(taken[1].sample.parts, 2u);
}

TEST_F(SampleFoldTest, AReplicaThatIsSilentHoldsBackFewUpdates) {
  SampleFold fold = make(2);
  for (std::uint32_t update = 0; update < 10; ++update)
    addOne(fold, update, 0);
  EXPECT_EQ(taken.size(), 10 - SampleFold::kMostOpen);
  addOne(fold, 0, 1);
  EXPECT_EQ(fold.late(), 1u) << "update 0 has been told";
  fold.finish();
  EXPECT_THAT(updates(), ElementsAre(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u));
}

TEST_F(SampleFoldTest, KeptApartEachOriginHasItsOwnTap) {
  SampleFold fold = make(2, Fold::apart);
  for (unsigned m = 0; m < 2; ++m)
    for (unsigned replica = 0; replica < 2; ++replica)
      add(fold, 3, {replica, m}, sampleOf(replica, m), 2);
  ASSERT_EQ(taken.size(), 4u);
  const std::string name = tagOf(tap);
  EXPECT_EQ(taken[0].tag, name + "/replica_0/micro_batch_0");
  EXPECT_EQ(taken[1].tag, name + "/replica_1/micro_batch_0");
  EXPECT_EQ(taken[3].tag, name + "/replica_1/micro_batch_1");
}

} // namespace
} // namespace popscope::outfeed
