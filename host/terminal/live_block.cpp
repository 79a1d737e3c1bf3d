#include "host/terminal/live_block.hpp"

namespace popscope::host {

// The cursor stands at the end of the last line.
std::string LiveBlock::wiping() const {
  if (lines_ == 0)
    return "";
  const std::string up =
      lines_ > 1 ? "\x1b[" + std::to_string(lines_ - 1) + "A" : "";
  return "\r" + up + "\x1b[J"; // clear all from there on
}

void LiveBlock::draw(const std::vector<std::string> &lines) {
  std::string text = wiping();
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += (i == 0 ? "" : "\n") + lines[i];
  out_ << text << std::flush;
  lines_ = lines.size();
}

void LiveBlock::wipe() {
  out_ << wiping() << std::flush;
  lines_ = 0;
}

} // namespace popscope::host
