// Samples for scripts: one JSON object per line, tensor and update.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"
#include "summary/records/line_writer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace popscope::outfeed {

// Statistics are those of outfeed/sinks/statistic.hpp, infinities are the
// strings "Infinity" and "-Infinity"; a statistic that a tensor does not have
// is left out.
//
// A file is written in place, for readers who follow it; it is opened, and what
// it held is replaced, by the first sample or flush. After a failure, which is
// told to `onLoss`, the file goes on as soon as it can; what it lacks is
// counted in reports().
class JsonLines : public SampleSink {
public:
  // "-" is the standard output.
  explicit JsonLines(std::string path, summary::WriteListener onLoss = {},
                     summary::Clock clock = summary::systemTime);

  // Keeps the lines of the updates before.
  void resume(Update firstUpdate) override;
  void take(const Tap &tap, Update update, const TensorSample &sample) override;
  // A line whose only key is first_not_finite.
  void takeVerdict(const Verdict &verdict) override;
  void takeChange(const ControlNote &note) override;
  void flush() override;
  void close(const TapReport &report) override;
  std::vector<summary::WriteReport> reports() const override;

private:
  summary::LineWriter &lines();

  const std::string path_;
  const summary::LineWriter::Options options_;
  std::unique_ptr<summary::LineWriter> lines_;
};

} // namespace popscope::outfeed
