// Samples for scripts: one JSON object per line, tensor and step.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"

#include <fstream>
#include <ostream>
#include <string>

namespace popscope::outfeed {

class JsonLines : public SampleSink {
public:
  // Throws std::invalid_argument if the file cannot be written to. What it
  // holds is replaced when the first sample comes.
  explicit JsonLines(const std::string &path);
  // Nothing that was written there before is replaced.
  explicit JsonLines(std::ostream &standardOutput);

  // Keeps the lines of the steps before.
  void resume(Update firstUpdate) override;
  void take(const Tap &tap, Update update, const TensorSample &sample) override;
  void flush() override;

private:
  void begin();

  const std::string path_; // empty: standard output
  std::ofstream file_;
  std::ostream &out_; // that file, or one that outlives this
  bool hasBegun_ = false;
};

} // namespace popscope::outfeed
