#include "summary/event_writer.hpp"

#include "summary/encoding/event_fields.hpp"
#include "summary/encoding/serialize.hpp"
#include "summary/encoding/wire.hpp"
#include "summary/proto/event.pb.h"

#include <cstdio>
#include <stdexcept>
#include <utility>

namespace popscope::summary {
namespace fs = std::filesystem;
namespace {

EventWriterOptions checked(EventWriterOptions options) {
  if (options.everyNth == 0)
    throw std::invalid_argument("[summary] everyNth must be at least 1");
  if (!options.onFailure)
    options.onFailure = [](const WriteReport &report) {
      std::fprintf(stderr,
                   "[summary] writing \"%s\" failed: %s; it goes on in a new "
                   "file when it can\n",
                   report.what.c_str(), report.error.c_str());
    };
  return options;
}

} // namespace

struct EventWriter::ScalarBody {
  explicit ScalarBody(float value) {
    wire::Writer(bytes).floatField(fields::kValueSimple, value);
  }
  std::string_view view() const { return {bytes, sizeof bytes}; }

  char bytes[1 + sizeof(float)];
};

EventWriter::EventWriter(const fs::path &runDirectory,
                         EventWriterOptions options)
    : options_(checked(std::move(options))), log_(runDirectory, options_) {
  // The first start of a run only arms TensorBoard's rule about restarts; were
  // it missing, the first resume would be taken for it and discard nothing.
  if (log_.isNewRun())
    resume(Step(0));
  Lock lock(mutex_);
  leave(lock);
}

EventWriter::~EventWriter() { (void)close(); }

bool EventWriter::isThinned(TagState &state) {
  if (state.toSkip == 0) {
    state.toSkip = options_.everyNth - 1;
    return false;
  }
  --state.toSkip;
  ++thinned_;
  return true;
}

void EventWriter::scalar(const Tag &tag, Step step, float value) {
  const ScalarBody body(value);
  const EncodedValue encoded{tag.name(), body.view(), {}};
  Lock lock(mutex_);
  if (!isThinned(tags_(tag, kScalarPlugin))) {
    const WallTime now = options_.clock();
    log_.beginEvent(now);
    log_.append(now, now, step, {&encoded, 1});
  }
  leave(lock);
}

void EventWriter::scalars(Step step, Span<const ScalarPoint> points) {
  Lock lock(mutex_);
  states_.clear();
  for (const ScalarPoint &point : points) // throws before anything is written
    states_.push_back(&tags_(*point.tag, kScalarPlugin));
  const WallTime now = options_.clock();
  log_.beginEvent(now);
  values_.clear();
  bodies_.clear();
  bodies_.reserve(points.size()); // views into it stay valid
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ScalarPoint &point = points[i];
    if (isThinned(*states_[i]))
      continue;
    bodies_.emplace_back(point.value);
    values_.push_back({point.tag->name(), bodies_.back().view(), {}});
  }
  if (!values_.empty())
    log_.append(now, now, step, values_);
  leave(lock);
}

void EventWriter::write(const EventBatch &batch) {
  Lock lock(mutex_);
  writeLocked(batch);
  leave(lock);
}

void EventWriter::writeLocked(const EventBatch &batch) {
  for (const auto &[tag, value] : batch.entries())
    tags_(tag, value.metadata.plugin); // throws before anything is written
  const WallTime now = options_.clock();
  log_.beginEvent(now);
  values_.clear();
  std::vector<std::string> metadata;
  metadata.reserve(batch.entries().size()); // views into it stay valid
  for (const auto &[tag, value] : batch.entries()) {
    TagState &state = tags_(tag, value.metadata.plugin);
    if (isThinned(state))
      continue;
    values_.push_back({tag.name(), value.body, {}});
    if (state.describedIn == log_.metadataNumber() ||
        value.metadata.isImplied())
      continue;
    values_.back().metadata =
        metadata.emplace_back(value.metadata.serialized());
    state.describedIn = log_.metadataNumber();
  }
  if (!values_.empty())
    log_.append(now, batch.time().value_or(now), batch.step(), values_);
}

void EventWriter::leave(Lock &lock) {
  if (!log_.hasFailure())
    return;
  log_.takeFailure();
  const WriteReport report = log_.report();
  lock.unlock();
  options_.onFailure(report);
}

void EventWriter::writeForRun(Step step, unsigned field,
                              const std::string &content) {
  Lock lock(mutex_);
  const WallTime now = options_.clock();
  log_.beginEvent(now);
  log_.appendForRun(now, step, field, content);
  leave(lock);
}

void EventWriter::writeForRun(const Tag &tag, const Value &value) {
  EventBatch batch{Step(0)};
  batch.add(tag, value);
  Lock lock(mutex_);
  writeLocked(batch);
  log_.keepFile();
  leave(lock);
}

void EventWriter::resume(Step step) {
  proto::SessionLog log;
  log.set_status(proto::SessionLog::START);
  writeForRun(step, fields::kEventSessionLog, serialize(log));
}

void EventWriter::graph(const GraphDescription &graph) {
  writeForRun(Step(0), fields::kEventGraphDef, toGraphDef(graph));
}

void EventWriter::profile(const std::string &name, Step step,
                          const RunProfile &profile) {
  proto::TaggedRunMetadata message;
  message.set_tag(Tag(name).name());
  message.set_run_metadata(toRunMetadata(profile));
  writeForRun(step, fields::kEventTaggedRunMetadata, serialize(message));
}

void EventWriter::layers(const LayerGraph &model) {
  static const Tag tag("keras");
  writeForRun(tag, toValue(model));
}

void EventWriter::hparams(const SessionStart &start) {
  writeForRun(sessionStartTag(), toValue(start));
}

void EventWriter::sessionEnd(const SessionEnd &end) {
  writeForRun(sessionEndTag(), toValue(end));
}

void EventWriter::experiment(const Experiment &experiment) {
  writeForRun(experimentTag(), toValue(experiment));
}

void EventWriter::layout(const ScalarLayout &layout) {
  writeForRun(scalarLayoutTag(), toValue(layout));
}

SinkError EventWriter::flush() {
  Lock lock(mutex_);
  const SinkError error = log_.flush(options_.clock());
  leave(lock);
  return error;
}

SinkError EventWriter::flushIfDue() {
  Lock lock(mutex_);
  const SinkError error = log_.flushIfDue(options_.clock());
  leave(lock);
  return error;
}

SinkError EventWriter::close() {
  Lock lock(mutex_);
  const SinkError error = log_.close(options_.clock());
  const bool isFirst = !std::exchange(isClosed_, true);
  const WriteReport report = log_.report();
  leave(lock);
  if (isFirst && options_.onClose && !report.isWhole())
    options_.onClose(report);
  return error;
}

SinkError EventWriter::error() const {
  const Lock lock(mutex_);
  return log_.error();
}

WriteReport EventWriter::report() const {
  const Lock lock(mutex_);
  return log_.report();
}

std::uint64_t EventWriter::dropped() const {
  const Lock lock(mutex_);
  return log_.dropped();
}

std::uint64_t EventWriter::thinned() const {
  const Lock lock(mutex_);
  return thinned_;
}

fs::path EventWriter::file() const {
  const Lock lock(mutex_);
  return log_.path();
}

} // namespace popscope::summary
