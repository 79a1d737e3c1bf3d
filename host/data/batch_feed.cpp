#include "host/data/batch_feed.hpp"

#include "host/data/shuffle.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace popscope::host {

namespace {

constexpr std::size_t kSlots = 16;

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
      batchesPerPass_(setSize / batchSize), seed_(seed),
      pass_(std::numeric_limits<std::uint64_t>::max()) {}

const std::size_t *BatchOrder::images(std::uint64_t batch) {
  const std::uint64_t pass = batch / batchesPerPass_;
  if (pass != pass_) {
    order_ = shuffledOrder(setSize_, seedOfPass(seed_, pass));
    pass_ = pass;
  }
  return order_.data() + batch % batchesPerPass_ * batchSize_;
}

BatchFeed::BatchFeed(const Dataset &set, BatchOrder order, std::uint64_t first,
                     std::uint64_t stride)
    : set_(set), order_(std::move(order)), first_(first), stride_(stride),
      slots_(kSlots), thread_([this] { prepare(); }) {}

BatchFeed::~BatchFeed() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BatchFeed::prepare() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    // Refills when half of the slots are empty, so that waking up once prepares
    // several batches.
    const auto waiting = [this] {
      return prepared_ - std::min(imagesTaken_, labelsTaken_);
    };
    changed_.wait(lock, [&] { return stop_ || waiting() <= kSlots / 2; });
    while (!stop_ && waiting() < kSlots) {
      const std::uint64_t number = prepared_;
      lock.unlock();
      fill(slots_[number % kSlots], first_ + number * stride_);
      lock.lock();
      ++prepared_;
      changed_.notify_all();
    }
    if (stop_)
      return;
  }
}

void BatchFeed::fill(Slot &slot, std::uint64_t batch) {
  const std::size_t size = order_.batchSize();
  const std::size_t pixels = set_.imagePixels();
  slot.images.resize(size * pixels);
  slot.labels.resize(size);
  const std::size_t *images = order_.images(batch);
  for (std::size_t i = 0; i < size; ++i) {
    set_.copyScaled(images[i], slot.images.data() + i * pixels);
    slot.labels[i] = set_.labels[images[i]];
  }
}

const BatchFeed::Slot &BatchFeed::await(std::uint64_t number) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return prepared_ > number; });
  return slots_[number % kSlots];
}

void BatchFeed::advance(std::uint64_t &taken) {
  bool refill = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++taken;
    refill = prepared_ - std::min(imagesTaken_, labelsTaken_) == kSlots / 2;
  }
  if (refill)
    changed_.notify_all();
}

// Only the caller changes its count, so it may read it without the lock.
void BatchFeed::takeImages(float *images) {
  const Slot &slot = await(imagesTaken_);
  std::memcpy(images, slot.images.data(), slot.images.size() * sizeof(float));
  advance(imagesTaken_);
}

void BatchFeed::takeLabels(unsigned *labels) {
  const Slot &slot = await(labelsTaken_);
  std::copy(slot.labels.begin(), slot.labels.end(), labels);
  advance(labelsTaken_);
}

} // namespace popscope::host
