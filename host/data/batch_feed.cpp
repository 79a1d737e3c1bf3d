#include "host/data/batch_feed.hpp"

#include "host/data/shuffle.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace popscope::host {

namespace {

// Images that are fetched from memory while another is scaled.
constexpr std::size_t kAhead = 4;
constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

// Mixes both numbers: neighbouring seeds and passes must not share an order.
std::uint64_t seedOfPass(std::uint64_t seed, std::uint64_t pass) {
  std::seed_seq sequence{std::uint32_t(seed), std::uint32_t(seed >> 32),
                         std::uint32_t(pass), std::uint32_t(pass >> 32)};
  std::uint32_t words[2];
  sequence.generate(words, words + 2);
  return std::uint64_t(words[0]) << 32 | words[1];
}

} // namespace

BatchOrder::BatchOrder(std::size_t setSize, std::size_t batchSize,
                       std::uint64_t seed)
    : setSize_(setSize), batchSize_(batchSize),
      batchesPerPass_(setSize / batchSize),
      seed_(seed), passes_{Pass{kNone, {}}, Pass{kNone, {}}} {}

const std::size_t *BatchOrder::images(std::uint64_t batch) {
  const std::uint64_t number = batch / batchesPerPass_;
  Pass &pass = passes_[number % passes_.size()];
  if (pass.number != number)
    pass = {number, shuffledOrder(setSize_, seedOfPass(seed_, number))};
  return pass.order.data() + batch % batchesPerPass_ * batchSize_;
}

BatchFeed::BatchFeed(const Dataset &set, BatchOrder order, std::uint64_t first,
                     std::uint64_t stride)
    : set_(set), stride_(stride), order_(std::move(order)), nextImages_(first),
      nextLabels_(first) {}

void BatchFeed::takeImages(float *images) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::size_t *const chosen = order_.images(nextImages_);
  for (std::size_t i = 0; i < order_.batchSize(); ++i) {
    set_.prefetch(chosen[std::min(i + kAhead, order_.batchSize() - 1)]);
    set_.copyScaled(chosen[i], images + i * set_.imagePixels());
  }
  nextImages_ += stride_;
}

void BatchFeed::takeLabels(unsigned *labels) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::size_t *const chosen = order_.images(nextLabels_);
  for (std::size_t i = 0; i < order_.batchSize(); ++i)
    labels[i] = set_.labels[chosen[i]];
  nextLabels_ += stride_;
}

} // namespace popscope::host
