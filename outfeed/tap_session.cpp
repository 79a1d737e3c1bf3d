#include "outfeed/tap_session.hpp"

#include "outfeed/due_share.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace popscope::outfeed {

TapSession::TapSession(std::vector<TapRule> rules, const TapOptions &options)
    : TapSession(std::move(rules), options, nullptr) {}

TapSession::TapSession(std::vector<TapRule> rules, const TapOptions &options,
                       Instances &instances)
    : TapSession(std::move(rules), options, &instances) {}

TapSession::TapSession(std::vector<TapRule> rules, const TapOptions &options,
                       Instances *instances)
    : options_(options), alone_(options.replicas),
      instances_(instances ? *instances : alone_),
      plan_(std::move(rules),
            options.health ? TapPlan::Alarms::everywhere
                           : TapPlan::Alarms::none,
            options.control ? TapPlan::Control::live : TapPlan::Control::fixed,
            options.mergeReplicas ? options.replicas : 1),
      program_(plan_, options.microBatchesPerUpdate, options.name,
               {options.recorderUpdates, options.infinitiesIntended}),
      queue_(options.queueCapacity, options.fullQueue) {
  if (options.health && options.dump)
    program_.dumpFirstBad(options.infinitiesIntended);
  if (options.mergeReplicas && options.fold == Fold::apart)
    throw std::invalid_argument("[outfeed] samples cannot be merged over "
                                "replicas and kept apart");
  if (!options.interventions.empty() && !options.control)
    throw std::invalid_argument("[outfeed] interventions need control");
  program_.interventions().allow(options.interventions);
}

TapSession::~TapSession() { close(); }

void TapSession::addSink(std::unique_ptr<SampleSink> sink) {
  sinks_.push_back(std::move(sink));
}

void TapSession::inject(const Injection &injection) {
  const unsigned replicas = options_.replicas;
  if (injection.fault.replica.value_or(0) >= replicas)
    throw std::invalid_argument(
        "[outfeed] fault '" + injection.text + "': there " +
        (replicas == 1 ? "is one replica"
                       : "are " + std::to_string(replicas) + " replicas") +
        ", counted from 0");
  program_.inject(injection);
  injections_.push_back(injection);
}

double TapSession::bytesPerUpdate() const {
  double bytes = 0;
  for (const TapSource &source : program_.sources())
    if (!source.isArmed && !source.isSpare && source.dump.empty()) {
      // All that share a stream are due together.
      const Tap &tap = plan_.tap(
          source.records.empty() ? source.full : source.records.front().tap);
      bytes += double(source.bytes) *
               program_.executionsPerUpdate(source.moment) *
               dueShare(plan_, tap);
    }
  return bytes * options_.replicas;
}

void TapSession::connect(poplar::Engine &engine) {
  plan_.requireMatches();
  program_.requireInjections();
  program_.interventions().requireMatches(plan_.tensors());
  if (!program_.isFlushed())
    throw std::logic_error("[outfeed] tensors were visited after the last "
                           "flush and would never leave the device");
  if (program_.sources().empty() && program_.rings().empty() &&
      program_.mask().isEmpty())
    return;
  if (!program_.mask().isEmpty()) {
    if (program_.maskHandle().empty())
      throw std::logic_error("[outfeed] taps are under control, but "
                             "beginUpdate was not called after the last flush");
    control_ = std::make_unique<TapControl>(
        plan_,
        Interventions(program_.interventions().tensors(), options_.seed));
    connectMask(engine, program_.maskHandle(), program_.mask(), *control_,
                instances_);
  }
  for (const TapSource &source : program_.sources())
    connectStream(engine, source, instances_.slice(), queue_);
  for (const auto &sink : sinks_)
    sink->begin(plan_);
  if (options_.health && instances_.slice().isFirst())
    monitor_ = std::make_unique<HealthMonitor>(
        plan_, HealthOptions{instances_.slice(), options_.microBatchesPerUpdate,
                             options_.infinitiesIntended, injections_,
                             [this] { return interventions(); }});
  recorder_ = std::make_unique<RecorderReader>(plan_, program_, instances_);
  drain_ = std::make_unique<Drain>(
      queue_, FrameDecoder(plan_, program_, options_.replicas, control_.get()),
      options_.fold, sinks_, monitor_.get(), control_.get(), &instances_);
}

void TapSession::resumeAt(poplar::Engine &engine, Update update) {
  if (!drain_)
    return;
  for (const TapClock &clock : program_.clocks()) {
    const std::vector<unsigned> words = clock.wordsAt(update);
    std::vector<unsigned> ofAllReplicas;
    const unsigned local = instances_.slice().localReplicas();
    for (unsigned replica = 0; replica < local; ++replica)
      ofAllReplicas.insert(ofAllReplicas.end(), words.begin(), words.end());
    engine.writeTensor(clock.handle, ofAllReplicas.data(),
                       ofAllReplicas.data() + ofAllReplicas.size());
  }
  if (control_)
    control_->resumeAt(update);
  drain_->resumeAt(update);
}

void TapSession::listen(const std::string &directory) {
  if (control_)
    server_ = std::make_unique<ControlServer>(*control_, directory);
}

void TapSession::exchange() {
  if (drain_)
    drain_->exchange();
}

void TapSession::sync() {
  if (drain_)
    drain_->flush();
}

std::size_t TapSession::collectRecorded(poplar::Engine &engine) {
  if (!drain_ || program_.rings().empty())
    return 0;
  drain_->flush();
  std::vector<DecodedSample> samples;
  recorder_->read(
      engine, [&](const DecodedSample &sample) { samples.push_back(sample); });
  return drain_->takeRecorded(samples);
}

bool TapSession::hasRecordedEvent() const {
  return drain_ && !program_.rings().empty() && drain_->hasEvent();
}

void TapSession::setBefore(const std::string &name,
                           const TensorHealth &health) {
  if (monitor_)
    monitor_->setBefore(name, health);
}

void TapSession::skipVerdict() {
  if (drain_)
    drain_->skipVerdict();
}

std::optional<Verdict> TapSession::verdict() const {
  return monitor_ ? monitor_->verdict() : std::nullopt;
}

void TapSession::rehearse(TapControl::Rehearsal rules) {
  sync();
  control_->close(); // no request can take effect any more
  beforeRehearsal_ = report();
  drain_->mute();
  control_->rehearse(std::move(rules));
}

TapTraffic TapSession::traffic() const {
  return drain_ ? drain_->traffic() : TapTraffic();
}

TapReport TapSession::report() const {
  if (!drain_)
    return lastReport_;
  if (beforeRehearsal_)
    return *beforeRehearsal_;
  TapReport report;
  FrameCounts counts = drain_->elsewhere();
  counts.add({queue_.pushed(), queue_.bytes(), queue_.dropped()});
  report.frames = counts.pushed;
  report.bytes = counts.bytes;
  report.dropped = counts.dropped;
  report.waited = queue_.waited();
  drain_->addTo(report);
  return report;
}

TapReport TapSession::close() {
  if (control_)
    control_->close(); // first: whoever waits for an update gets a reply
  server_.reset();
  if (drain_) {
    drain_->flush();
    drain_->close(report());
    lastReport_ = report(); // closing may fail too
    drain_.reset();
    for (const auto &sink : sinks_)
      for (summary::WriteReport &report : sink->reports())
        if (!report.isWhole())
          lastReport_.losses.push_back(std::move(report));
  }
  return lastReport_;
}

} // namespace popscope::outfeed
