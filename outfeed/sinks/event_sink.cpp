#include "outfeed/sinks/event_sink.hpp"

#include "outfeed/sinks/statistic.hpp"

#include <utility>

namespace popscope::outfeed {

namespace {

// TensorBoard's axis of taps counts updates.
summary::Step stepOf(Update update) { return summary::Step(update.value()); }

EventSink::WriterSource writerIn(std::string directory,
                                 summary::WriteListener onLoss) {
  return [directory = std::move(directory), onLoss = std::move(onLoss)] {
    summary::EventWriterOptions options;
    options.openFailure = summary::OpenFailure::isReported;
    options.onFailure = onLoss;
    return std::make_shared<summary::EventWriter>(directory, options);
  };
}

} // namespace

const char *tagGroup(graph::TensorKind kind) {
  using graph::TensorKind;
  switch (kind) {
  case TensorKind::gradient:
  case TensorKind::activationGradient:
    return "tapped_gradients";
  case TensorKind::update:
    return "tapped_updates";
  case TensorKind::weight:
  case TensorKind::optimizerState:
    return "tapped_weights";
  case TensorKind::input:
  case TensorKind::preactivation:
  case TensorKind::activation:
  case TensorKind::loss:
  case TensorKind::lossScale:
    break;
  }
  return "tapped_activations";
}

summary::Tag groupedTag(const Tap &tap) {
  return summary::Tag(tagGroup(tap.tensor.kind)) /
         summary::Tag::sanitized(tagOf(tap)).name();
}

EventSink::EventSink(WriterSource source, bool ownsWriter)
    : source_(std::move(source)), ownsWriter_(ownsWriter) {}

EventSink::EventSink(std::string directory, summary::WriteListener onLoss)
    : EventSink(writerIn(directory, onLoss), true) {
  recorded_.reset(
      new EventSink(writerIn(directory + "/recorder", onLoss), true));
}

EventSink::EventSink(WriterSource source, WriterSource recorded)
    : EventSink(std::move(source), false) {
  if (recorded)
    recorded_.reset(new EventSink(std::move(recorded), false));
}

void EventSink::resume(Update firstUpdate) {
  resumed_ = firstUpdate;
  if (recorded_)
    recorded_->resume(firstUpdate);
}

void EventSink::takeRecorded(const Tap &tap, Update update,
                             const TensorSample &sample) {
  if (recorded_)
    recorded_->take(tap, update, sample);
}

summary::EventWriter &EventSink::writer() {
  if (!writer_) {
    writer_ = source_();
    if (ownsWriter_ && resumed_)
      writer_->resume(stepOf(*resumed_));
  }
  return *writer_;
}

EventSink::Series &EventSink::seriesOf(const Tap &tap) {
  const auto found = series_.find(&tap);
  if (found != series_.end())
    return found->second;
  const summary::Tag base = groupedTag(tap);
  Series series{&writer(), {}, base / "histogram", normsOf(tap)};
  for (const Statistic statistic : kLoggedStatistics)
    series.tags.push_back(base / nameOf(statistic));
  return series_.emplace(&tap, std::move(series)).first->second;
}

EventSink::NormPair *EventSink::normsOf(const Tap &tap) {
  if (tap.tensor.kind == graph::TensorKind::weight)
    return &norms_[tagOf(tap)];
  if (tap.tensor.kind != graph::TensorKind::update)
    return nullptr;
  Tap weight = tap;
  weight.tensor.name = weightOf(tap.tensor.name);
  if (weight.tensor.name.empty())
    return nullptr;
  NormPair &norms = norms_[tagOf(weight)];
  norms.ratio = groupedTag(tap) / kRatioToWeight;
  return &norms;
}

void EventSink::takeNorm(const Tap &tap, const Series &series,
                         const Norm &norm) {
  NormPair &pair = *series.norms;
  (tap.tensor.kind == graph::TensorKind::weight ? pair.weight : pair.update) =
      norm;
  if (pair.weight && pair.update && pair.ratio &&
      pair.weight->update == pair.update->update && pair.weight->value > 0)
    series.writer->scalar(*pair.ratio, stepOf(norm.update),
                          float(pair.update->value / pair.weight->value));
}

void EventSink::take(const Tap &tap, Update update,
                     const TensorSample &sample) {
  const summary::Step step = stepOf(update);
  lastUpdate_ = lastUpdate_ < update ? update : lastUpdate_;
  Series &series = seriesOf(tap);
  summary::EventWriter::ScalarPoint points[kNumLogged];
  std::size_t numPoints = 0;
  for (std::size_t i = 0; i < kNumLogged; ++i) {
    const std::optional<double> value = valueOf(kLoggedStatistics[i], sample);
    if (value && (i < kAlwaysLogged || *value != 0))
      points[numPoints++] = {&series.tags[i], float(*value)};
  }
  series.writer->scalars(step, {points, numPoints});
  const summary::TensorStats &stats = sample.stats;
  if (sample.hasShape() && stats.finite() != 0)
    series.writer->histogram(series.histogram, step, histogramOf(sample));
  const bool isFinite = stats.count != 0 && stats.finite() == stats.count;
  if (series.norms && isFinite && sample.payload >= Payload::stats)
    takeNorm(tap, series, {update, stats.l2Norm()});
}

void EventSink::takeFiring(const Firing &firing) {
  if (fired_.insert(firing.tap.id).second)
    writer().text(summary::Tag("fired") /
                      summary::Tag::sanitized(tagOf(firing.tap)).name(),
                  stepOf(firing.update), lineOf(firing));
}

void EventSink::takeVerdict(const Verdict &verdict) {
  std::string lines = firstLine(verdict) + "\n";
  for (const std::string &line : laterLines(verdict))
    lines += "\n- " + line;
  const summary::Step step = stepOf(verdict.update);
  writer().text(summary::Tag("first_not_finite"), step, lines);
  writer().scalar(summary::Tag("tapped_health/not_finite"), step,
                  float(1 + verdict.followers.size() + verdict.moreFollowers));
}

void EventSink::takeChange(const ControlNote &note) {
  writer().text(summary::Tag("control"), stepOf(note.update), note.text);
}

void EventSink::flush() {
  if (writer_)
    (void)writer_->flush(); // reports() has it
  if (recorded_)
    recorded_->flush();
}

void EventSink::close(const TapReport &report) {
  if (report.dropped != 0) {
    summary::EventBatch batch(stepOf(lastUpdate_));
    batch.add(summary::Tag("queue/frames"), float(report.frames));
    batch.add(summary::Tag("queue/bytes"), float(report.bytes));
    batch.add(summary::Tag("queue/dropped"), float(report.dropped));
    writer().write(batch);
  }
  if (writer_)
    (void)(ownsWriter_ ? writer_->close() : writer_->flush());
  if (recorded_)
    recorded_->close({});
}

std::vector<summary::WriteReport> EventSink::reports() const {
  std::vector<summary::WriteReport> reports;
  if (recorded_)
    reports = recorded_->reports();
  if (writer_)
    reports.push_back(writer_->report());
  return reports;
}

} // namespace popscope::outfeed
