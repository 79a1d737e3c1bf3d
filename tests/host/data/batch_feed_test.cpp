#include "host/data/batch_feed.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

namespace popscope::host {
namespace {

// One pixel per image: the image's number.
Dataset numbered(std::size_t size) {
  Dataset set;
  set.rows = set.columns = 1;
  set.scale = 1.0f;
  for (std::size_t i = 0; i < size; ++i) {
    set.pixels.push_back(std::uint8_t(i));
    set.labels.push_back(unsigned(i));
  }
  return set;
}

std::vector<std::size_t> batch(BatchOrder &order, std::uint64_t number) {
  const std::size_t *images = order.images(number);
  return std::vector<std::size_t>(images, images + order.batchSize());
}

TEST(BatchOrder, PassShowsEveryImageOnceButThoseOfAPartialBatch) {
  BatchOrder order(103, 10, 1);
  ASSERT_EQ(order.batchesPerPass(), 10u);
  std::set<std::size_t> seen;
  for (std::uint64_t number = 0; number < 10; ++number)
    for (const std::size_t image : batch(order, number))
      EXPECT_TRUE(seen.insert(image).second) << image;
  EXPECT_LT(*seen.rbegin(), 103u);
}

TEST(BatchOrder, PassesRepeatInAnotherOrder) {
  BatchOrder order(100, 100, 1);
  std::vector<std::size_t> first = batch(order, 0);
  std::vector<std::size_t> second = batch(order, 1);
  EXPECT_NE(first, second);
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  EXPECT_EQ(first, second);
}

TEST(BatchOrder, SeedDeterminesEveryBatch) {
  BatchOrder one(100, 10, 7), same(100, 10, 7), other(100, 10, 8);
  EXPECT_EQ(batch(one, 25), batch(same, 25));
  batch(same, 3);
  EXPECT_EQ(batch(one, 25), batch(same, 25)) << "whatever was asked before";
  EXPECT_NE(batch(one, 25), batch(other, 25));
}

TEST(BatchFeed, ImagesAndLabelsOfABatchBelongTogether) {
  const Dataset set = numbered(100);
  const BatchOrder order(100, 10, 1);
  BatchOrder expected = order;
  BatchFeed feed(set, order, 0, 1);
  for (std::uint64_t number = 0; number < 100; ++number) {
    std::vector<float> images(10);
    std::vector<unsigned> labels(10);
    feed.takeImages(images.data());
    feed.takeLabels(labels.data());
    const std::vector<std::size_t> wanted = batch(expected, number);
    for (std::size_t i = 0; i < 10; ++i) {
      ASSERT_EQ(std::size_t(images[i]), wanted[i]) << number;
      ASSERT_EQ(labels[i], wanted[i]) << number;
    }
  }
}

TEST(BatchFeed, ReplicasShareThePass) {
  const Dataset set = numbered(40);
  const BatchOrder order(40, 10, 1);
  std::vector<unsigned> seen(40);
  BatchFeed even(set, order, 0, 2), odd(set, order, 1, 2);
  for (int half = 0; half < 2; ++half) {
    even.takeLabels(seen.data() + 20 * half);
    odd.takeLabels(seen.data() + 20 * half + 10);
  }
  std::vector<unsigned> all(40);
  std::iota(all.begin(), all.end(), 0u);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, all);
}

TEST(BatchFeed, StartsAnywhere) {
  const Dataset set = numbered(100);
  const BatchOrder order(100, 10, 1);
  BatchOrder expected = order;
  BatchFeed feed(set, order, 37, 1);
  std::vector<unsigned> labels(10);
  feed.takeLabels(labels.data());
  EXPECT_EQ(std::vector<std::size_t>(labels.begin(), labels.end()),
            batch(expected, 37));
}

TEST(BatchFeed, TwoThreadsMayTakeImagesAndLabels) {
  const Dataset set = numbered(200);
  BatchFeed feed(set, BatchOrder(200, 10, 1), 0, 1);
  std::vector<float> images(10 * 500);
  std::vector<unsigned> labels(10 * 500);
  std::thread other([&] {
    for (std::size_t i = 0; i < 500; ++i)
      feed.takeImages(images.data() + 10 * i);
  });
  for (std::size_t i = 0; i < 500; ++i)
    feed.takeLabels(labels.data() + 10 * i);
  other.join();
  EXPECT_TRUE(std::equal(images.begin(), images.end(), labels.begin()));
}

} // namespace
} // namespace popscope::host
