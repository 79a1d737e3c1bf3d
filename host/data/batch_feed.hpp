// Batches of a data set, made where the device wants them.
#pragma once

#include "host/data/dataset.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
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
  // call. Two passes are kept: the first call in another one shuffles the whole
  // set.
  const std::size_t *images(std::uint64_t batch);

private:
  struct Pass {
    std::uint64_t number;
    std::vector<std::size_t> order;
  };

  const std::size_t setSize_;
  const std::size_t batchSize_;
  const std::size_t batchesPerPass_;
  const std::uint64_t seed_;
  std::array<Pass, 2> passes_; // of even and of odd numbers
};

// The batches `first`, `first + stride`, ... of an order. Images and labels are
// taken separately, each in order; a thread may take images while another takes
// labels. To scale pixels takes no longer than to copy the floats, so nothing
// is made ahead of time: a thread for that would take a processor from those
// that compute.
class BatchFeed {
public:
  // The set outlives the feed and must not change.
  BatchFeed(const Dataset &set, BatchOrder order, std::uint64_t first,
            std::uint64_t stride);

  void takeImages(float *images);
  void takeLabels(unsigned *labels);

private:
  const Dataset &set_;
  const std::uint64_t stride_;

  std::mutex mutex_; // guards what follows
  BatchOrder order_;
  std::uint64_t nextImages_, nextLabels_; // numbers of batches
};

} // namespace popscope::host
