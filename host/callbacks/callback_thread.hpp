// Runs callbacks in order on one thread, while training goes on.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/run/run_report.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace popscope::host {

// Used by the training thread. Events wait in a queue; when it is full,
// training waits.
class CallbackThread {
public:
  // Each event may hold a set of weights.
  static constexpr std::size_t kQueueCapacity = 64;

  // A callback that throws is reported as lost. `report` outlives this. The
  // training waits while `capacity` events do.
  CallbackThread(std::vector<std::unique_ptr<Callback>> callbacks,
                 RunReport &report, std::size_t capacity = kQueueCapacity);
  ~CallbackThread(); // finishes
  CallbackThread(const CallbackThread &) = delete;
  CallbackThread &operator=(const CallbackThread &) = delete;

  Wants wants(Epoch epoch) const;
  bool wantsBatches() const;

  void trainBegin();
  void epochBegin(Epoch epoch);
  // `done` batches were trained before, since the training began.
  void batchBegin(Batches done);
  // The execution or the epoch took `seconds`; if a callback takes longer on
  // average, and not just a few times, that is noted once.
  void batchEnd(BatchResult result, double seconds);
  void epochEnd(EpochResult result, double seconds);
  void trainEnd();

  // Returns when all events so far have been handled.
  void wait();
  // Handles all events and destroys the callbacks, which closes their files.
  // No other call may follow.
  void finish();

private:
  // The part of training that an event's handling is compared with.
  enum class About { nothing, batch, epoch };
  struct Event {
    About about;
    double seconds; // that part took
    std::function<void(Callback &)> call;
    std::optional<Epoch> epoch{}; // that ended
  };
  // How long a callback took for its events, and the parts of training that
  // they are about.
  struct Times {
    unsigned calls = 0;
    unsigned slowCalls = 0; // that took longer than their part of training
    double callback = 0.0;
    double training = 0.0;
    bool reported = false;
  };
  struct Entry {
    std::unique_ptr<Callback> callback;
    bool failed = false;
    Times batch, epoch;
  };

  void post(Event event);
  void handleEvents();
  void handle(Entry &entry, const Event &event);
  void checkTimes(const Entry &entry, Times &times, const Event &event);

  std::vector<Entry> entries_; // used by the thread, except callback->wants
  RunReport &report_;
  const std::size_t capacity_;

  std::mutex mutex_; // guards all below
  std::condition_variable changed_;
  std::deque<Event> queue_;
  bool isHandling_ = false; // one that is no longer in the queue
  bool stop_ = false;

  std::thread thread_; // last: it uses all of the above
};

} // namespace popscope::host
