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
      : queue_(queue), origin_{source, replica, 0}, bytes_(bytes) {}

  Result prefetch(void *) override { return Result::NotAvailable; }
  void fetch(void *data) noexcept override {
    queue_.push(origin_, data, bytes_);
    ++origin_.number;
  }
  void complete() override {}

private:
  FrameQueue &queue_;
  FrameOrigin origin_; // of the next frame
  std::size_t bytes_;
};

} // namespace popscope::outfeed
