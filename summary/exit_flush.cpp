#include "summary/exit_flush.hpp"

#include "summary/event_writer.hpp"

#include <cstdlib>
#include <mutex>
#include <unordered_set>

namespace popscope::summary {
namespace {

class OpenWriters {
public:
  // Never destroyed: other threads may still write while the program ends.
  static OpenWriters &all() {
    static auto *const writers = new OpenWriters;
    return *writers;
  }

  void add(EventWriter &writer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    writers_.insert(&writer);
  }
  void remove(EventWriter &writer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    writers_.erase(&writer);
  }

private:
  OpenWriters() {
    std::atexit([] { all().flush(); });
  }

  void flush() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (EventWriter *const writer : writers_)
      (void)writer->flush(); // a failure is reported through onFailure
  }

  std::mutex mutex_;
  std::unordered_set<EventWriter *> writers_;
};

} // namespace

ExitFlush::ExitFlush(EventWriter &writer) : writer_(writer) {
  OpenWriters::all().add(writer);
}

ExitFlush::~ExitFlush() { OpenWriters::all().remove(writer_); }

} // namespace popscope::summary
