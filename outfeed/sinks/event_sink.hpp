// Samples for TensorBoard: a scalar per statistic, a histogram per tensor.
#pragma once

#include "outfeed/sinks/sample_sink.hpp"
#include "summary/event_writer.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace popscope::outfeed {

// Writes the runs inspect/gradients, inspect/activations and inspect/weights
// below a log directory, each begun with its first point. Tags are NAME/mean,
// NAME/histogram and so on; NAME is from tagOf. TensorBoard's step is the
// number of the update.
class EventSink : public SampleSink {
public:
  // `onLoss` is told when an event file fails; by default that is printed on
  // the standard error stream.
  explicit EventSink(std::string logDirectory,
                     summary::WriteListener onLoss = {});

  void resume(Update firstUpdate) override { resumed_ = firstUpdate; }
  void take(const Tap &tap, Update update, const TensorSample &sample) override;
  void flush() override;
  // Frames, bytes and drops as scalars of the run inspect/queue.
  void close(const TapReport &report) override;
  std::vector<summary::WriteReport> reports() const override;

private:
  enum Statistic : unsigned {
    mean,
    deviation,
    min,
    max,
    l2Norm,
    zeroShare,
    absMax,
    saturatedShare,
    nan,
    inf,
    histogram,
    numStatistics
  };
  struct Series {
    summary::EventWriter *writer;
    std::vector<summary::Tag> tags; // by Statistic
  };

  Series &seriesOf(const Tap &tap);
  // Of the run inspect/<name>, begun if it is not there yet.
  summary::EventWriter &writerOf(const char *name);

  const std::string logDirectory_;
  const summary::WriteListener onLoss_;
  std::optional<Update> resumed_;
  std::map<std::string, std::unique_ptr<summary::EventWriter>> writers_;
  std::unordered_map<const Tap *, Series> series_;
  Update lastUpdate_{0};
};

} // namespace popscope::outfeed
