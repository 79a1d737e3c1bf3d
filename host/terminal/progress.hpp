// The progress of one epoch, on one line that is rewritten.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>

namespace popscope::host {

enum class ProgressStyle {
  line,  // a terminal: redraw in place
  silent // a pipe or a file: only what is printed between epochs
};

ProgressStyle progressStyleOfStdout();

class Progress {
public:
  Progress(std::ostream &out, ProgressStyle style) : out_(out), style_(style) {}

  void show(const std::string &label, std::size_t done, std::size_t total);

  // Wipes the line so that ordinary output can follow.
  void clear();

private:
  std::ostream &out_; // outlives this
  const ProgressStyle style_;
  int percent_ =
      -1; // last drawn; a redraw per step would cost more than a step
};

} // namespace popscope::host
