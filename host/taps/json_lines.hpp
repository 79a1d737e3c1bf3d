// Samples for scripts: one JSON object per line, tensor and step.
#pragma once

#include "outfeed/sample_sink.hpp"

#include <fstream>
#include <string>

namespace popscope::host {

class JsonLines : public outfeed::SampleSink {
public:
  // Throws BadInput if the file cannot be written to.
  explicit JsonLines(const std::string &path);

  void take(const outfeed::Tap &tap, summary::Step step,
            const outfeed::TensorSample &sample) override;
  void flush() override;

private:
  const std::string path_;
  std::ofstream file_;
};

} // namespace popscope::host
