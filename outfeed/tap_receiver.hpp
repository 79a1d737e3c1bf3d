// What Poplar calls when a tap's stream has data: copies and returns.
#pragma once

#include "outfeed/frame_queue.hpp"

#include <poplar/StreamCallback.hpp>

#include <cstddef>

namespace popscope::outfeed {

// The engine owns it; the queue outlives the engine.
class TapReceiver : public poplar::StreamCallback {
public:
  TapReceiver(FrameQueue &queue, unsigned source, unsigned replica,
              std::size_t bytes)
      : queue_(queue), source_(source), replica_(replica), bytes_(bytes) {}

  Result prefetch(void *) override { return Result::NotAvailable; }
  void fetch(void *data) noexcept override {
    queue_.push(source_, replica_, data, bytes_);
  }
  void complete() override {}

private:
  FrameQueue &queue_;
  unsigned source_;
  unsigned replica_;
  std::size_t bytes_;
};

} // namespace popscope::outfeed
