// Hands frames from the engine's threads to the one that reads them.
#pragma once

#include "outfeed/frame.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace popscope::outfeed {

// What happens to a frame that finds the queue full.
enum class FullQueue {
  wait, // the device waits for the reader
  drop  // it is counted and forgotten
};

// Any number of threads push, one pops. The reader looks every few
// milliseconds; a push wakes it only if the queue fills up, since waking a
// thread can cost more than the transfer itself. Buffers come back after use,
// so that once all sizes have been seen nothing is allocated any more, and
// memory never exceeds `capacity` frames.
class FrameQueue {
public:
  FrameQueue(std::size_t capacity, FullQueue policy);

  // Copies the bytes. A closed queue drops them; so does one that cannot
  // allocate.
  void push(const FrameOrigin &origin, const void *bytes,
            std::size_t size) noexcept;

  // Waits for a frame; false once the queue is closed and empty. The bytes of
  // the frame given are kept for a later push.
  bool pop(Frame &frame);

  // Waits until every frame pushed before has been popped and another pop has
  // begun, so that it is dealt with.
  void waitUntilRead();
  void close();

  std::uint64_t pushed() const;
  std::uint64_t dropped() const;
  std::uint64_t bytes() const;

private:
  std::size_t capacity_;
  FullQueue policy_;
  mutable std::mutex mutex_; // guards all below
  std::condition_variable mayPush_, mayPop_, allRead_;
  std::deque<Frame> frames_;
  std::vector<std::vector<std::byte>> spare_;
  bool closed_ = false;
  bool hurry_ = false;   // someone waits for the reader
  bool reading_ = false; // the last frame popped is being dealt with
  std::uint64_t pushed_ = 0, dropped_ = 0, bytes_ = 0;
};

} // namespace popscope::outfeed
