// Frames of merged records: each replica sends a share of what one frame would
// have.
#pragma once

#include "outfeed/frames/frame.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

namespace popscope::outfeed {

// Records then come in the order of their source, whichever replica is first.
class FrameShares {
public:
  // Of one execution of a source; a share that has not come is empty.
  struct Set {
    unsigned source = 0, execution = 0;
    std::size_t missing = 0;
    std::vector<std::vector<std::byte>> bytes; // by replica
  };

  // Incomplete sets of a source that are kept; see add.
  static constexpr std::size_t kMostOpen = 4;

  explicit FrameShares(unsigned replicas) : replicas_(replicas) {}

  // Those of one source and replica come in the order of their executions.
  // Returns the sets that are to be read, in their order: one that the frame
  // completes, and those before it, or the oldest of more than kMostOpen. What
  // these miss was dropped.
  std::vector<Set> add(const Frame &frame, unsigned execution);
  // What is left, by source.
  std::vector<Set> takeAll();

private:
  const unsigned replicas_;
  std::map<unsigned, std::deque<Set>> open_; // by source; each by execution
};

} // namespace popscope::outfeed
