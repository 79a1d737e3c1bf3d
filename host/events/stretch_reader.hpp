// A large event file, read in stretches by several threads at once.
#pragma once

#include "host/events/run_index.hpp"

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

namespace popscope::host::events {

// The records that begin in one part of a file, as far as they are whole.
struct Stretch {
  std::uint64_t begin = 0; // of the first record
  std::uint64_t end = 0; // of the last one; both are the limit if there is none
  std::uint64_t limit = 0; // where the part of the file ends
  std::uint64_t records = 0;
  RunIndex index; // of the events in them

  // Whether its records reach to the next part of the file.
  bool isWhole() const { return end >= limit; }
};

// Where a part's first record begins is not known to the thread that reads it:
// it takes the first place that looks like a record, which is the right one
// unless a record holds the bytes of others. So a stretch counts for something
// only if the one before it ends where it begins.
class StretchReader {
public:
  struct Options {
    std::size_t threads = 0;
    std::uint64_t bytes = 0; // of the file, for each stretch
  };

  // Reads from the record at `begin` up to `end`.
  StretchReader(std::filesystem::path file, std::uint64_t begin,
                std::uint64_t end, const Options &options);
  ~StretchReader();
  StretchReader(const StretchReader &) = delete;
  StretchReader &operator=(const StretchReader &) = delete;

  // The next stretch in the order of the file, valid until the next call. Null
  // behind the last one, or if there are no threads to be had.
  Stretch *next();

private:
  struct Slot {
    Stretch stretch;
    bool isReady = false;
  };

  void readStretches();
  void read(std::uint64_t number, Stretch &stretch) const;
  Slot &slotOf(std::uint64_t number) { return slots_[number % slots_.size()]; }

  const std::filesystem::path file_;
  const std::uint64_t begin_;
  const std::uint64_t end_;
  const std::uint64_t bytes_;
  const std::uint64_t count_; // of stretches

  std::mutex mutex_; // guards all below; a stretch is its thread's until ready
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  std::uint64_t begun_ = 0;    // stretches that a thread has taken
  std::uint64_t released_ = 0; // stretches whose slots are free again
  bool isGiven_ = false;       // whether the caller has one behind those
  bool stop_ = false;

  std::vector<std::thread> threads_; // last: they use all of the above
};

} // namespace popscope::host::events
