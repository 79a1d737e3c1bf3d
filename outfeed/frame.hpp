// One transfer of one stream, as it arrived; the bytes are not yet checked.
#pragma once

#include <cstddef>
#include <vector>

namespace popscope::outfeed {

struct Frame {
  unsigned source = 0; // TapSource::number
  unsigned replica = 0;
  std::vector<std::byte> bytes;
};

} // namespace popscope::outfeed
