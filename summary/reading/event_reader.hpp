// Reads event files of any origin, whole or damaged, finished or being written.
#pragma once

#include "summary/reading/event_view.hpp"
#include "summary/records/file_source.hpp"
#include "summary/records/record_format.hpp"
#include "summary/records/record_reader.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace popscope::summary {

// One event file.
//
//   EventReader reader(path);
//   while (const auto event = reader.next()) ...
//   // reader.state() says why it stopped: end, tornTail or damaged
//
// Call next() again later to follow a file that is still being written.
class EventReader {
public:
  // Begins with the record at `offset`. Throws std::system_error if the file
  // cannot be opened.
  explicit EventReader(const std::filesystem::path &path,
                       std::uint64_t offset = 0);
  // Reads from elsewhere; `source` outlives the reader.
  explicit EventReader(ByteSource &source);

  // The next event; its views are valid until the next call. Empty when there
  // is none: see state().
  std::optional<EventView> next();

  // Why next() returned nothing; `record` after it returned an event.
  ReadState state() const { return state_; }

  // After `damaged`. The reader stays at the damage until resync(); TensorBoard
  // stays there for good.
  const Damage &damage() const {
    return notAnEvent_ ? *notAnEvent_ : records_.damage();
  }
  // Continues after the damage; returns the number of bytes skipped.
  std::uint64_t resync();

  // The record as it is in the file, for copying it unchanged.
  std::string_view payload() const { return records_.payload(); }
  const RecordReader &records() const { return records_; }

private:
  std::optional<EventView> parsePayload();

  std::unique_ptr<FileSource> file_;
  RecordReader records_;
  ReadState state_ = ReadState::end;
  std::optional<Damage> notAnEvent_;
};

// All event files of one run directory, joined as TensorBoard joins them: in
// order of name, including files that appear later.
class RunReader {
public:
  explicit RunReader(std::filesystem::path directory);

  // The next event of the run. Empty if the last file has no more events yet.
  // Damage in a file ends that file only; damages() lists it.
  std::optional<EventView> next();

  // The file the last event came from.
  const std::filesystem::path &file() const { return current_; }

  struct FileDamage {
    std::filesystem::path file;
    Damage damage;
  };
  const std::vector<FileDamage> &damages() const { return damages_; }

private:
  std::optional<EventView> readCurrent();
  std::optional<std::filesystem::path> fileAfterCurrent() const;

  std::filesystem::path directory_;
  std::filesystem::path current_;
  std::unique_ptr<EventReader> reader_;
  std::vector<FileDamage> damages_;
  bool currentDamaged_ = false;
};

} // namespace popscope::summary
