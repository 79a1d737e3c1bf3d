// One run of the parts of it that were written apart.
#pragma once

#include "host/events/reading/file_walk.hpp"
#include "host/events/reading/run_index.hpp"
#include "host/events/reading/selection.hpp"
#include "host/events/writing/merged_step.hpp"
#include "host/events/writing/new_event_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace popscope::host::events {

// Keeps the place of every event in memory, and the events of one step.
class MergedRun {
public:
  // Each part is a run as one input has it. Reads all files; damage is
  // reported. Throws BadInput if a file cannot be read.
  MergedRun(std::vector<LogRun> parts, FileWalk &walk);

  bool areFilesWhole() const { return allWhole_; }
  bool empty() const { return places_.empty(); }
  // All files, under the name of the run.
  LogRun source() const;
  // Of the file to be written: like that of any event file, with the time of
  // the first event.
  std::string fileName() const;

  // Writes all events in order of step and wall time. A restart that an input
  // announces has taken effect: what it replaced is left out, and the
  // announcement too. To be called once.
  void write(Taps taps, NewEventFile &output, MergeCounts &counts);

private:
  struct Place {
    std::int64_t step;
    double wallTime;
    std::size_t part;
    std::size_t file; // of files_
    std::uint64_t offset;
    std::uint64_t bytes; // of the payload
    std::uint64_t values;
  };

  void readPart(std::size_t part, FileWalk &walk);
  std::string payloadAt(const Place &place);
  void writeEvent(const MergedStep::Event &event, NewEventFile &output,
                  MergeCounts &counts);
  bool needsMetadata(const MergedStep::Value &value);
  std::string changed(const MergedStep::Event &event);

  const std::vector<LogRun> parts_;
  std::vector<std::filesystem::path> files_;
  std::vector<Place> places_; // by part, then in order of step and wall time
  std::uint64_t purged_ = 0;  // values that announced restarts replaced
  RunIndex index_;            // of all parts
  bool allWhole_ = true;
  std::map<std::size_t, std::ifstream> open_; // some of files_
  std::set<std::string> described_;           // tags that were written
  // Content of events without values, by hash and size.
  std::set<std::pair<std::size_t, std::size_t>> written_;
};

} // namespace popscope::host::events
