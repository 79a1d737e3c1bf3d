// Lines at the bottom of a terminal that are drawn over themselves.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

// All calls come from one thread, which also prints everything else: wipe the
// block, print, draw it again.
class LiveBlock {
public:
  explicit LiveBlock(std::ostream &out) : out_(out) {}

  // Replaces what was drawn before. A line that wraps could not be wiped, so
  // none may be as long as the terminal is wide.
  void draw(const std::vector<std::string> &lines);
  void wipe();

private:
  std::string wiping() const;

  std::ostream &out_; // outlives this
  std::size_t lines_ = 0;
};

} // namespace popscope::host
