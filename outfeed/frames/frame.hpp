// One transfer of one stream, as it arrived; the bytes are not yet checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace popscope::outfeed {

struct FrameOrigin {
  unsigned source = 0;      // TapSource::number
  unsigned replica = 0;     // of those of all instances
  std::uint64_t number = 0; // in its stream; those dropped are counted too
};

struct Frame {
  FrameOrigin origin;
  std::vector<std::byte> bytes;
  // Of a whole tensor: in the place of its elements is their TensorSample.
  bool isSummary = false;
};

} // namespace popscope::outfeed
