// How far a command has come, on one line that is redrawn.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>

namespace popscope::host {

enum class ProgressStyle {
  line,  // a terminal: redraw in place
  silent // a pipe or a file
};

class Progress {
public:
  Progress(std::ostream &out, ProgressStyle style) : out_(out), style_(style) {}

  void show(const std::string &label, std::size_t done, std::size_t total);

  // Wipes the line so that ordinary output can follow.
  void clear();

private:
  std::ostream &out_; // outlives this
  const ProgressStyle style_;
  int percent_ = -1; // the last one drawn: it is redrawn only if that changes
};

} // namespace popscope::host
