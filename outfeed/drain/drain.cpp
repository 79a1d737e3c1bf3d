#include "outfeed/drain/drain.hpp"

#include <exception>

namespace popscope::outfeed {

Drain::Drain(FrameQueue &queue, FrameDecoder decoder, Fold fold,
             const std::vector<std::unique_ptr<SampleSink>> &sinks,
             HealthMonitor *monitor, TapControl *control, Instances *instances)
    : queue_(queue), decoder_(decoder),
      fold_(fold, decoder.replicas(),
            [this](const Tap &tap, Update update, const TensorSample &sample) {
              take(tap, update, sample);
            }),
      monitor_(monitor), control_(control),
      recordedFold_(
          fold, decoder.replicas(),
          [this](const Tap &tap, Update update, const TensorSample &sample) {
            ++recordedGiven_;
            tellAll([&](SampleSink &sink) {
              sink.takeRecorded(tap, update, sample);
            });
          }) {
  if (instances && instances->slice().isSplit())
    exchange_.emplace(*instances);
  for (const auto &sink : sinks) {
    listeners_.push_back(
        {*sink, {"sample sink " + std::to_string(listeners_.size() + 1), {}}});
    alarmsWanted_ = alarmsWanted_ || sink->wantsAlarms();
  }
  thread_ = std::thread([this] { run(); });
}

Drain::~Drain() {
  queue_.close();
  thread_.join();
}

void Drain::run() {
  Frame frame;
  while (queue_.pop(frame)) {
    const std::lock_guard lock(mutex_);
    if (isMuted_)
      continue;
    if (exchange_) {
      hold(frame);
      continue;
    }
    tellChanges();
    if (damage_ == FrameError::none)
      read(frame);
  }
}

void Drain::hold(const Frame &frame) {
  heldUpdate_ = decoder_.updateOf(frame).value_or(heldUpdate_);
  if (!decoder_.isOfWholeTensor(frame)) {
    exchange_->hold(frame, heldUpdate_);
    return;
  }
  damage_ = decoder_.decode(frame, [&](const DecodedSample &decoded) {
    tellElements(decoded);
    exchange_->hold(decoder_.summaryOf(frame, decoded.sample), heldUpdate_);
  });
}

void Drain::exchange() {
  if (!exchange_)
    return;
  queue_.waitUntilRead();
  const std::lock_guard lock(mutex_);
  tellChanges();
  exchange_->exchange({queue_.pushed(), queue_.bytes(), queue_.dropped()},
                      [this](const Frame &frame) {
                        if (damage_ == FrameError::none)
                          read(frame);
                      });
}

FrameCounts Drain::elsewhere() const {
  const std::lock_guard lock(mutex_);
  return exchange_ ? exchange_->elsewhere() : FrameCounts();
}

void Drain::tellElements(const DecodedSample &decoded) {
  tellAll([&](SampleSink &sink) {
    sink.takeElements(decoded.tap, decoded.update, decoded.origin,
                      decoded.elements, decoded.bytes);
  });
}

void Drain::read(const Frame &frame) {
  if (const TapSource *const source = decoder_.dumpSource(frame)) {
    DumpedTensors dumped{decoder_.tensorOf(*source), frame.origin.replica, {}};
    for (const TapSource::Dumped &part : source->dump)
      dumped.parts.push_back({part.tensor, frame.bytes.data() + part.byte});
    traffic_.add(source->full, frame.bytes.size());
    if (!verdictTold_) // it is for that
      tellAll([&](SampleSink &sink) { sink.takeDump(dumped); });
    return;
  }
  const auto takeHealth = [this](const DecodedHealth &decoded) {
    watch(decoded);
  };
  damage_ = decoder_.decode(
      frame, [this](const DecodedSample &decoded) { take(decoded); },
      alarmsWanted_ ? FrameDecoder::TakeHealth() : takeHealth);
}

void Drain::take(const DecodedSample &decoded) {
  watch({decoded.tap, decoded.update, decoded.origin,
         healthOf(decoded.sample.stats)});
  if (decoded.tap.condition && decoder_.hasRecorder())
    sent_.emplace(decoded.tap.id, decoded.update.value());
  event_ = event_ || decoded.evidence;
  if (decoded.evidence)
    tellAll([&](SampleSink &sink) {
      sink.takeFiring(
          {decoded.tap, decoded.update, decoded.origin, *decoded.evidence});
    });
  if (decoded.elements)
    tellElements(decoded);
  fold_.add(decoded);
}

void Drain::watch(const DecodedHealth &decoded) {
  traffic_.add(decoded.tap.id, decoded.tap.bytes);
  // What is wrong is to be said of a replica.
  if (!monitor_ || decoded.tap.isMerged())
    return;
  monitor_->add(decoded.tap, decoded.update, decoded.origin, decoded.health);
  tellVerdict();
}

void Drain::tellVerdict() {
  if (verdictTold_ || !monitor_->verdict())
    return;
  verdictTold_ = true;
  event_ = true;
  tellAll([this](SampleSink &sink) { sink.takeVerdict(*monitor_->verdict()); });
}

void Drain::tellChanges() {
  if (!control_)
    return;
  for (const ControlNote &note : control_->takeNotes())
    tellAll([&](SampleSink &sink) { sink.takeChange(note); });
}

void Drain::take(const Tap &tap, Update update, const TensorSample &sample) {
  for (Listener &listener : listeners_) {
    if (TapPlan::isAlarm(tap.id) && !listener.sink.wantsAlarms())
      continue;
    tell(listener, [&](SampleSink &sink) { sink.take(tap, update, sample); });
    summary::WriteReport &loss = listener.loss;
    if (loss.error.empty())
      continue;
    ++loss.lostRecords;
    if (!loss.firstLost)
      loss.firstLost = summary::Step(update.value());
  }
}

template <class Action> void Drain::tellAll(const Action &action) {
  for (Listener &listener : listeners_)
    tell(listener, action);
}

template <class Action>
void Drain::tell(Listener &listener, const Action &action) {
  std::string &error = listener.loss.error;
  if (!error.empty())
    return;
  try {
    action(listener.sink);
  } catch (const std::exception &thrown) {
    error = thrown.what();
    if (error.empty())
      error = "a sink failed without saying why";
  } catch (...) {
    error = "a sink failed without saying why";
  }
}

void Drain::flush() {
  queue_.waitUntilRead();
  const std::lock_guard lock(mutex_);
  tellChanges();
  decoder_.finish([this](const DecodedSample &decoded) { take(decoded); });
  fold_.finish();
  if (monitor_) {
    monitor_->finish();
    tellVerdict();
  }
  tellAll([](SampleSink &sink) { sink.flush(); });
}

bool Drain::wasSent(const Tap &tap, Update update) const {
  if (TapPlan::isAlarm(tap.id) || tap.payload == Payload::alarm)
    return false;
  return tap.condition ? sent_.count({tap.id, update.value()}) != 0
                       : tap.schedule.isDue(update);
}

std::size_t Drain::takeRecorded(const std::vector<DecodedSample> &samples) {
  const std::lock_guard lock(mutex_);
  recordedGiven_ = 0;
  for (const DecodedSample &sample : samples)
    if (!wasSent(sample.tap, sample.update))
      recordedFold_.add(sample);
  recordedFold_.finish();
  sent_.clear();
  event_ = false;
  return recordedGiven_;
}

void Drain::close(const TapReport &report) {
  const std::lock_guard lock(mutex_);
  tellAll([&](SampleSink &sink) { sink.close(report); });
}

void Drain::resumeAt(Update update) {
  const std::lock_guard lock(mutex_);
  decoder_.resumeAt(update);
  if (monitor_)
    monitor_->resumeAt(update);
  tellAll([&](SampleSink &sink) { sink.resume(update); });
}

void Drain::mute() {
  const std::lock_guard lock(mutex_);
  isMuted_ = true;
}

TapTraffic Drain::traffic() const {
  const std::lock_guard lock(mutex_);
  return traffic_;
}

void Drain::skipVerdict() {
  const std::lock_guard lock(mutex_);
  verdictTold_ = true;
}

void Drain::addTo(TapReport &report) const {
  const std::lock_guard lock(mutex_);
  report.late = fold_.late();
  if (damage_ != FrameError::none)
    report.error = describe(damage_);
  for (const Listener &listener : listeners_)
    if (!listener.loss.isWhole())
      report.losses.push_back(listener.loss);
}

} // namespace popscope::outfeed
