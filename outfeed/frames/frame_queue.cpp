#include "outfeed/frames/frame_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <utility>

namespace popscope::outfeed {

namespace {

constexpr std::chrono::milliseconds kLook{20};

} // namespace

FrameQueue::FrameQueue(std::size_t capacity, FullQueue policy)
    : capacity_(std::max<std::size_t>(1, capacity)), policy_(policy) {}

void FrameQueue::push(const FrameOrigin &origin, const void *bytes,
                      std::size_t size) noexcept {
  std::unique_lock lock(mutex_);
  ++pushed_;
  if (policy_ == FullQueue::wait && frames_.size() >= capacity_) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    mayPush_.wait(lock,
                  [this] { return closed_ || frames_.size() < capacity_; });
    waited_ += std::chrono::duration<double>(Clock::now() - start).count();
  }
  if (closed_ || frames_.size() >= capacity_) {
    ++dropped_;
    return;
  }
  try {
    Frame frame{origin, {}, false};
    const auto fits =
        std::find_if(spare_.begin(), spare_.end(),
                     [&](const auto &s) { return s.capacity() >= size; });
    if (fits != spare_.end()) {
      frame.bytes = std::move(*fits);
      *fits = std::move(spare_.back());
      spare_.pop_back();
    }
    frame.bytes.resize(size);
    std::memcpy(frame.bytes.data(), bytes, size);
    frames_.push_back(std::move(frame));
    bytes_ += size;
  } catch (const std::bad_alloc &) {
    ++dropped_;
    return;
  }
  const bool fillsUp = frames_.size() * 2 >= capacity_;
  lock.unlock();
  if (fillsUp)
    mayPop_.notify_one();
}

bool FrameQueue::pop(Frame &frame) {
  std::unique_lock lock(mutex_);
  if (frame.bytes.capacity() != 0 && spare_.size() < capacity_)
    spare_.push_back(std::move(frame.bytes));
  frame = {};
  reading_ = false;
  if (frames_.empty())
    allRead_.notify_all();
  const auto mayStart = [this] {
    return closed_ || frames_.size() * 2 >= capacity_ ||
           (hurry_ && !frames_.empty());
  };
  // The first look at an empty queue may still find nothing.
  while (frames_.empty() && !closed_)
    mayPop_.wait_for(lock, kLook, mayStart);
  if (frames_.empty())
    return false;
  frame = std::move(frames_.front());
  frames_.pop_front();
  reading_ = true;
  lock.unlock();
  mayPush_.notify_one();
  return true;
}

void FrameQueue::waitUntilRead() {
  std::unique_lock lock(mutex_);
  hurry_ = true;
  mayPop_.notify_one();
  allRead_.wait(lock, [this] {
    return (frames_.empty() && !reading_) || (closed_ && frames_.empty());
  });
  hurry_ = false;
}

void FrameQueue::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  mayPush_.notify_all();
  mayPop_.notify_all();
  allRead_.notify_all();
}

std::uint64_t FrameQueue::pushed() const {
  const std::lock_guard lock(mutex_);
  return pushed_;
}

std::uint64_t FrameQueue::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

std::uint64_t FrameQueue::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

double FrameQueue::waited() const {
  const std::lock_guard lock(mutex_);
  return waited_;
}

} // namespace popscope::outfeed
