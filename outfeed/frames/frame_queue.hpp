// Hands frames from the engine's threads to the drain's.
#pragma once

#include "outfeed/frames/frame.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace popscope::outfeed {

// What happens to a frame when the queue is full.
enum class FullQueue {
  wait, // the device waits for the reader
  drop  // the frame is lost, and counted
};

// Any number of threads push, one pops. The reader looks fifty times a second;
// a push wakes it only when the queue is half full, since waking a thread can
// cost more than the transfer itself. Buffers are used again: once
// all sizes have occurred nothing more is allocated, and memory never exceeds
// `capacity` frames.
class FrameQueue {
public:
  FrameQueue(std::size_t capacity, FullQueue policy);

  // Copies the bytes. Drops the frame if the queue is closed or cannot
  // allocate.
  void push(const FrameOrigin &origin, const void *bytes,
            std::size_t size) noexcept;

  // Waits for a frame; false once the queue is closed and empty. The buffer of
  // the frame passed in is used for a later push.
  bool pop(Frame &frame);

  // Waits until the reader has popped every frame pushed so far and come back
  // for the next, so that the last one has been processed.
  void waitUntilRead();
  void close();

  std::uint64_t pushed() const;
  std::uint64_t dropped() const;
  std::uint64_t bytes() const;
  // Seconds that pushes have waited for the reader, added up over all threads.
  double waited() const;

private:
  std::size_t capacity_;
  FullQueue policy_;
  mutable std::mutex mutex_; // guards all below
  std::condition_variable mayPush_, mayPop_, allRead_;
  std::deque<Frame> frames_;
  std::vector<std::vector<std::byte>> spare_;
  bool closed_ = false;
  bool hurry_ = false;   // someone waits for the reader
  bool reading_ = false; // the last frame popped is being processed
  std::uint64_t pushed_ = 0, dropped_ = 0, bytes_ = 0;
  double waited_ = 0.0;
};

} // namespace popscope::outfeed
