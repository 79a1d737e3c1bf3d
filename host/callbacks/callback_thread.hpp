// Runs callbacks beside training, in order, on a thread of their own.
#pragma once

#include "host/callbacks/callback.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace popscope::host {

// Used by the training thread. Events wait in a queue; when it is full,
// training waits.
class CallbackThread {
public:
  // `report` is given one line per problem, on the callbacks' thread.
  using Report = std::function<void(const std::string &)>;
  CallbackThread(std::vector<std::unique_ptr<Callback>> callbacks,
                 Report report);
  ~CallbackThread(); // handles what is in the queue
  CallbackThread(const CallbackThread &) = delete;
  CallbackThread &operator=(const CallbackThread &) = delete;

  Wants wants(Epoch epoch) const;
  bool wantsBatches() const;

  void trainBegin();
  void epochBegin(Epoch epoch);
  // `done` is what was trained before, since the training began.
  void batchBegin(Batches done);
  // `seconds` is what the execution or the epoch took; a callback that takes
  // longer on average is reported once.
  void batchEnd(BatchResult result, double seconds);
  void epochEnd(EpochResult result, double seconds);
  void trainEnd();

  // Waits until all events are handled; then says what failed, a line each.
  std::vector<std::string> finish();

private:
  // The part of training that an event's handling is compared with.
  enum class About { nothing, batch, epoch };
  struct Event {
    About about;
    double seconds; // that part took
    std::function<void(Callback &)> call;
  };
  // How long an event takes a callback, and the part of training it is about.
  struct Times {
    unsigned calls = 0;
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

  std::vector<Entry> entries_; // but for callback->wants, of the thread
  const Report report_;
  std::vector<std::string> failures_; // of the thread, read after it has idled

  std::mutex mutex_; // guards all below
  std::condition_variable changed_;
  std::deque<Event> queue_;
  bool busy_ = false;
  bool stop_ = false;

  std::thread thread_; // last: it uses all of the above
};

} // namespace popscope::host
