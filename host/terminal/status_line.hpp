// Says what is being done, while it is being done.
#pragma once

#include <ostream>
#include <string>

namespace popscope::host {

enum class StatusStyle {
  wiped, // a terminal: the line is gone when the work is done
  kept,  // a pipe: an ordinary line
  silent
};

class StatusLine {
public:
  // `out` outlives this.
  StatusLine(std::ostream &out, StatusStyle style, const std::string &text)
      : out_(out), style_(style) {
    if (style_ != StatusStyle::silent)
      out_ << text << (style_ == StatusStyle::kept ? "\n" : "") << std::flush;
  }
  ~StatusLine() {
    if (style_ == StatusStyle::wiped)
      out_ << "\r\x1b[K" << std::flush;
  }
  StatusLine(const StatusLine &) = delete;
  StatusLine &operator=(const StatusLine &) = delete;

private:
  std::ostream &out_;
  const StatusStyle style_;
};

} // namespace popscope::host
