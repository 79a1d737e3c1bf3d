// Prepares the batches of a data set ahead of time, on another thread, so that
// the device does not wait for the host.
#pragma once

#include "host/data/dataset.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace popscope::host {

// The images of each batch. The seed decides the order of every pass over the
// set; each pass has another. A last partial batch is dropped, and passes
// follow each other without end.
class BatchOrder {
public:
  BatchOrder(std::size_t setSize, std::size_t batchSize, std::uint64_t seed);

  std::size_t batchSize() const { return batchSize_; }
  std::size_t batchesPerPass() const { return batchesPerPass_; }
  // The indices of a batch's images, batchSize() of them, valid until the next
  // call. The first call in another pass shuffles the whole set.
  const std::size_t *images(std::uint64_t batch);

private:
  const std::size_t setSize_;
  const std::size_t batchSize_;
  const std::size_t batchesPerPass_;
  const std::uint64_t seed_;
  std::uint64_t pass_; // of order_
  std::vector<std::size_t> order_;
};

// The batches `first`, `first + stride`, ... of an order. Images and labels are
// taken separately, each in order; a thread may take images while another takes
// labels.
class BatchFeed {
public:
  // The set outlives the feed and must not change.
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
  // A ring of batches. The thread fills a slot without the lock, while the
  // counts below keep all takers away from it.
  std::vector<Slot> slots_;

  std::mutex mutex_; // guards what follows
  std::condition_variable changed_;
  std::uint64_t prepared_ = 0; // batches
  std::uint64_t imagesTaken_ = 0;
  std::uint64_t labelsTaken_ = 0;
  bool stop_ = false;

  std::thread thread_; // last: it uses all of the above
};

} // namespace popscope::host
