#include "outfeed/sinks/event_sink.hpp"

#include <utility>

namespace popscope::outfeed {

namespace {

const char *familyOf(graph::TensorKind kind) {
  using graph::TensorKind;
  switch (kind) {
  case TensorKind::gradient:
  case TensorKind::activationGradient:
  case TensorKind::update:
    return "gradients";
  case TensorKind::weight:
  case TensorKind::optimizerState:
    return "weights";
  case TensorKind::input:
  case TensorKind::preactivation:
  case TensorKind::activation:
  case TensorKind::loss:
  case TensorKind::lossScale:
    break;
  }
  return "activations";
}

// TensorBoard's axis of taps counts updates.
summary::Step stepOf(Update update) { return summary::Step(update.value()); }

} // namespace

EventSink::EventSink(std::string logDirectory, summary::WriteListener onLoss)
    : logDirectory_(std::move(logDirectory)), onLoss_(std::move(onLoss)) {}

summary::EventWriter &EventSink::writerOf(const char *name) {
  std::unique_ptr<summary::EventWriter> &writer = writers_[name];
  if (!writer) {
    summary::EventWriterOptions options;
    options.openFailure = summary::OpenFailure::isReported;
    options.onFailure = onLoss_;
    writer = std::make_unique<summary::EventWriter>(
        logDirectory_ + "/inspect/" + name, options);
    if (resumed_)
      writer->resume(stepOf(*resumed_));
  }
  return *writer;
}

EventSink::Series &EventSink::seriesOf(const Tap &tap) {
  const auto found = series_.find(&tap);
  if (found != series_.end())
    return found->second;
  Series series{&writerOf(familyOf(tap.tensor.kind)), {}};
  const summary::Tag base = summary::Tag::sanitized(tagOf(tap));
  for (const char *name :
       {"mean", "std", "min", "max", "l2_norm", "zero_share", "abs_max",
        "saturated_share", "nan", "inf", "histogram"})
    series.tags.push_back(base / name);
  return series_.emplace(&tap, std::move(series)).first->second;
}

void EventSink::take(const Tap &tap, Update update,
                     const TensorSample &sample) {
  const summary::Step step = stepOf(update);
  lastUpdate_ = lastUpdate_ < update ? update : lastUpdate_;
  Series &series = seriesOf(tap);
  const summary::TensorStats &stats = sample.stats;
  summary::EventWriter::ScalarPoint points[numStatistics];
  std::size_t numPoints = 0;
  const auto add = [&](Statistic statistic, double value) {
    points[numPoints++] = {&series.tags[statistic], float(value)};
  };
  const bool hasFinite = stats.finite() != 0;
  if (hasFinite)
    add(absMax, stats.absMax);
  if (hasFinite && sample.payload >= Payload::stats) {
    add(mean, stats.mean);
    add(deviation, stats.standardDeviation());
    add(min, stats.min);
    add(max, stats.max);
    add(l2Norm, stats.l2Norm());
    add(zeroShare, double(stats.zero) / double(stats.count));
  }
  if (stats.saturated != 0)
    add(saturatedShare, double(stats.saturated) / double(stats.count));
  if (stats.nan != 0)
    add(nan, double(stats.nan));
  if (stats.posInf + stats.negInf != 0)
    add(inf, double(stats.posInf + stats.negInf));
  series.writer->scalars(step, {points, numPoints});
  if (hasFinite && sample.hasShape())
    series.writer->histogram(series.tags[histogram], step,
                             octaveHistogram(sample));
}

void EventSink::flush() {
  for (const auto &[family, writer] : writers_)
    (void)writer->flush(); // reports() has it
}

void EventSink::close(const TapReport &report) {
  if (writers_.empty())
    return;
  summary::EventBatch batch(stepOf(lastUpdate_));
  batch.add(summary::Tag("queue/frames"), float(report.frames));
  batch.add(summary::Tag("queue/bytes"), float(report.bytes));
  batch.add(summary::Tag("queue/dropped"), float(report.dropped));
  writerOf("queue").write(batch);
  for (const auto &[name, writer] : writers_)
    (void)writer->close(); // reports() has it
}

std::vector<summary::WriteReport> EventSink::reports() const {
  std::vector<summary::WriteReport> reports;
  for (const auto &[name, writer] : writers_)
    reports.push_back(writer->report());
  return reports;
}

} // namespace popscope::outfeed
