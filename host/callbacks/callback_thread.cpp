#include "host/callbacks/callback_thread.hpp"

#include "host/terminal/steady_clock.hpp"

#include <algorithm>
#include <exception>
#include <sstream>
#include <utility>

namespace popscope::host {

namespace {

// A callback may be slow now and then, as those are that draw a picture every
// 500 epochs.
constexpr unsigned kSlowCallsToJudge = 5;

std::string milliseconds(double seconds) {
  std::ostringstream text;
  text.precision(3);
  text << seconds * 1e3 << " ms";
  return text.str();
}

} // namespace

CallbackThread::CallbackThread(std::vector<std::unique_ptr<Callback>> callbacks,
                               RunReport &report, std::size_t capacity)
    : report_(report), capacity_(capacity) {
  for (auto &callback : callbacks) {
    entries_.emplace_back();
    entries_.back().callback = std::move(callback);
  }
  thread_ = std::thread([this] { handleEvents(); });
}

CallbackThread::~CallbackThread() { finish(); }

Wants CallbackThread::wants(Epoch epoch) const {
  Wants all;
  for (const Entry &entry : entries_) {
    const Wants own = entry.callback->wants(epoch);
    all.weights |= own.weights;
    all.testPredictions |= own.testPredictions;
  }
  return all;
}

bool CallbackThread::wantsBatches() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const Entry &entry) {
    return entry.callback->wantsBatches();
  });
}

void CallbackThread::trainBegin() {
  post({About::nothing, 0.0, [](Callback &c) { c.trainBegin(); }});
}

void CallbackThread::epochBegin(Epoch epoch) {
  post({About::nothing, 0.0, [epoch](Callback &c) { c.epochBegin(epoch); }});
}

void CallbackThread::batchBegin(Batches done) {
  post({About::nothing, 0.0, [done](Callback &c) {
          if (c.wantsBatches())
            c.batchBegin(done);
        }});
}

void CallbackThread::batchEnd(BatchResult result, double seconds) {
  post({About::batch, seconds, [result = std::move(result)](Callback &c) {
          if (c.wantsBatches())
            c.batchEnd(result);
        }});
}

void CallbackThread::epochEnd(EpochResult result, double seconds) {
  const Epoch epoch = result.epoch;
  post({About::epoch, seconds,
        [result = std::move(result)](Callback &c) { c.epochEnd(result); },
        epoch});
}

void CallbackThread::trainEnd() {
  post({About::nothing, 0.0, [](Callback &c) { c.trainEnd(); }});
}

void CallbackThread::post(Event event) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return queue_.size() < capacity_; });
    queue_.push_back(std::move(event));
  }
  changed_.notify_all();
}

void CallbackThread::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return queue_.empty() && !isHandling_; });
}

void CallbackThread::finish() {
  if (!thread_.joinable())
    return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
  entries_.clear();
}

void CallbackThread::handleEvents() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    if (queue_.empty())
      return;
    const Event event = std::move(queue_.front());
    queue_.pop_front();
    isHandling_ = true;
    lock.unlock();
    changed_.notify_all();
    for (Entry &entry : entries_)
      if (!entry.failed)
        handle(entry, event);
    lock.lock();
    isHandling_ = false;
    changed_.notify_all();
  }
}

void CallbackThread::handle(Entry &entry, const Event &event) {
  const double start = steadySeconds();
  try {
    event.call(*entry.callback);
  } catch (const std::exception &error) {
    entry.failed = true;
    summary::WriteReport report;
    report.what = "callback " + entry.callback->name();
    report.error = error.what();
    if (event.epoch)
      report.firstLost = summary::Step(event.epoch->number());
    report_.update(report, StepsAre::epochs);
    return;
  }
  if (event.about == About::nothing)
    return;
  Times &times = event.about == About::batch ? entry.batch : entry.epoch;
  const double seconds = steadySeconds() - start;
  ++times.calls;
  times.slowCalls += seconds > event.seconds;
  times.callback += seconds;
  times.training += event.seconds;
  checkTimes(entry, times, event);
}

void CallbackThread::checkTimes(const Entry &entry, Times &times,
                                const Event &event) {
  if (times.reported || times.slowCalls < kSlowCallsToJudge ||
      times.callback <= times.training)
    return;
  times.reported = true;
  const double calls = times.calls;
  report_.note("callback " + entry.callback->name() + " is slower than the " +
               (event.about == About::batch ? "batch: " : "epoch: ") +
               milliseconds(times.callback / calls) + " against " +
               milliseconds(times.training / calls));
}

} // namespace popscope::host
