// A file in memory, which may grow while it is read.
#pragma once

#include "summary/records/byte_source.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace popscope::tests {

class StringSource : public summary::ByteSource {
public:
  // Returns at most `piece` bytes at a time.
  explicit StringSource(std::string bytes,
                        std::size_t piece = std::string::npos)
      : bytes_(std::move(bytes)), piece_(piece) {}

  // The largest buffer a reader asked to fill.
  std::size_t largestRequest() const { return largestRequest_; }

  void grow(const std::string &more) { bytes_ += more; }

  std::size_t read(char *to, std::size_t size) override {
    largestRequest_ = std::max(largestRequest_, size);
    const std::size_t count =
        bytes_.copy(to, std::min(size, piece_), position_);
    position_ += count;
    return count;
  }

private:
  std::string bytes_;
  std::size_t piece_;
  std::size_t position_ = 0;
  std::size_t largestRequest_ = 0;
};

} // namespace popscope::tests
