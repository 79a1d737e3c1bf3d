// Batches of a data set, prepared ahead on a thread of their own so that the
// device never waits for the host.
#pragma once

#include "host/data/dataset.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace popscope::host {

// Which images make up batch number `batch`. Every pass over the set has an
// order of its own that the seed determines; a last partial batch is dropped;
// passes follow each other without end.
class BatchOrder {
public:
  BatchOrder(std::size_t setSize, std::size_t batchSize, std::uint64_t seed);

  std::size_t batchSize() const { return batchSize_; }
  std::size_t batchesPerPass() const { return batchesPerPass_; }
  // batchSize() numbers of images, valid until the next call. Cheap as long as
  // calls stay within a pass.
  const std::size_t *images(std::uint64_t batch);

private:
  const std::size_t setSize_;
  const std::size_t batchSize_;
  const std::size_t batchesPerPass_;
  const std::uint64_t seed_;
  std::uint64_t pass_; // whose order this is
  std::vector<std::size_t> order_;
};

// The batches `first`, `first + stride`, ... of an order. Images and labels
// are taken separately, each in order, by one thread at a time.
class BatchFeed {
public:
  // The set outlives the feed and does not change.
  BatchFeed(const Dataset &set, BatchOrder order, std::uint64_t first,
            std::uint64_t stride);
  ~BatchFeed(); // stops the thread
  BatchFeed(const BatchFeed &) = delete;
  BatchFeed &operator=(const BatchFeed &) = delete;

  void takeImages(float *images);
  void takeLabels(unsigned *labels);

private:
  struct Slot {
    std::vector<float> images;
    std::vector<unsigned> labels;
  };

  void prepare();
  void fill(Slot &slot, std::uint64_t batch);
  const Slot &await(std::uint64_t number);
  void advance(std::uint64_t &taken);

  const Dataset &set_;
  BatchOrder order_;
  const std::uint64_t first_;
  const std::uint64_t stride_;
  std::vector<Slot> slots_; // a ring; the mutex decides who may touch which

  std::mutex mutex_; // guards all below
  std::condition_variable changed_;
  std::uint64_t prepared_ = 0; // batches
  std::uint64_t imagesTaken_ = 0;
  std::uint64_t labelsTaken_ = 0;
  bool stop_ = false;

  std::thread thread_; // last: it uses all of the above
};

} // namespace popscope::host
