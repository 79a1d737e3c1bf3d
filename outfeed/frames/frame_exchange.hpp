// Frames of all instances, in the order of their updates.
#pragma once

#include "outfeed/frames/frame.hpp"
#include "outfeed/instances.hpp"
#include "outfeed/rules/update_schedule.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// What the queues of instances have seen.
struct FrameCounts {
  std::uint64_t pushed = 0, bytes = 0, dropped = 0;

  void add(const FrameCounts &other) {
    pushed += other.pushed;
    bytes += other.bytes;
    dropped += other.dropped;
  }
};

// Each instance holds the frames of an execution. After it the first one gets
// those of all and goes through them as if its own replicas had sent them:
// update by update, those of an update by ascending replica, those of a replica
// in the order in which they came.
class FrameExchange {
public:
  explicit FrameExchange(Instances &instances) : instances_(instances) {}

  void hold(Frame frame, Update update) {
    held_.push_back({std::move(frame), update});
  }

  // Between runs, by all instances. Calls `take` in the first one.
  void exchange(const FrameCounts &here,
                const std::function<void(const Frame &)> &take);
  // Of the other instances, in the first one, as of the last exchange.
  const FrameCounts &elsewhere() const { return elsewhere_; }

private:
  struct Held {
    Frame frame;
    Update update;
  };

  Instances &instances_;
  std::vector<Held> held_;
  FrameCounts elsewhere_;
};

} // namespace popscope::outfeed
