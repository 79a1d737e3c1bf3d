// Where a reader's bytes come from.
#pragma once

#include <cstddef>

namespace popscope::summary {

class ByteSource {
public:
  virtual ~ByteSource() = default;

  // Reads up to `size` bytes and returns how many. Zero means that there is
  // nothing more now; a live file may have more later. Throws
  // std::system_error if reading fails.
  [[nodiscard]] virtual std::size_t read(char *to, std::size_t size) = 0;
};

} // namespace popscope::summary
