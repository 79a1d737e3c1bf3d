// Reads event files from end to end, damage included, and shows how far it is.
#pragma once

#include "host/events/selection.hpp"
#include "host/events/stretch_reader.hpp"
#include "host/terminal/progress.hpp"
#include "summary/reading/event_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace popscope::host::events {

// A stretch of a file that holds no whole event.
struct Gap {
  summary::Damage damage;
  std::uint64_t bytes; // up to the next whole record
};

struct FileState {
  std::filesystem::path path;
  std::uint64_t bytes = 0; // read
  std::uint64_t records = 0;
  std::uint64_t recordsBeforeDamage = 0; // what TensorBoard gets to see
  std::vector<Gap> gaps;
  // If the file ends inside a record: how much of it is there, of how much.
  std::uint64_t tornBytes = 0;
  std::uint64_t tornNeeded = 0;
  std::string
      unreadable; // why, if the system did not let it be read to the end

  bool isDamaged() const { return !gaps.empty(); }
  bool isWhole() const {
    return gaps.empty() && tornBytes == 0 && unreadable.empty();
  }
};

// "whole", "empty", or the first thing that is wrong, in one line.
std::string describe(const FileState &file);

// Says on the standard error stream what is wrong, if anything is. Returns
// whether the file is whole.
bool reportUnlessWhole(const FileState &file);

// Throws BadInput if the file could not be read.
void requireReadable(const FileState &file);

// How index() divides its work. The outcome does not depend on it.
StretchReader::Options stretchesHere();

class FileWalk {
public:
  // Draws its progress on the standard error stream if that is a terminal and
  // there is enough to read for someone to wait for it.
  explicit FileWalk(const std::vector<LogRun> &runs,
                    const StretchReader::Options &stretches = stretchesHere());
  ~FileWalk() { progress_.clear(); }
  FileWalk(const FileWalk &) = delete;
  FileWalk &operator=(const FileWalk &) = delete;

  // Gives every whole event, also those behind damage. The reader's payload()
  // is the event's record. One file that cannot be read does not keep the
  // others from being read: the state says so.
  using Visit = std::function<void(const summary::EventView &,
                                   const summary::EventReader &)>;
  FileState walk(const std::filesystem::path &file, const Visit &visit);

  // Adds every whole event to the index, reading large files with several
  // threads.
  FileState index(const std::filesystem::path &file, RunIndex &index);

private:
  void indexTo(FileState &state, RunIndex &index);
  void read(summary::EventReader &reader, std::uint64_t limit,
            const Visit &visit, FileState &state);
  std::uint64_t readStretches(std::uint64_t begin, std::uint64_t end,
                              RunIndex &index, FileState &state);
  void finish(const summary::EventReader &reader, FileState &state);

  const StretchReader::Options stretches_;
  std::uint64_t total_ = 0; // bytes
  std::uint64_t done_ = 0;
  Progress progress_;
};

} // namespace popscope::host::events
