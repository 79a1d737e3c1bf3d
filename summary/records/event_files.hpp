// Names of event files: which files readers take for one, in which order they
// read them, and how to name the next one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::summary {

// Readers take a file for an event file if its name contains "tfevents".
bool isEventFileName(std::string_view name);

// True for names of the form that TensorFlow and EventFileName give them:
// [PREFIX]events.out.tfevents.SECONDS.HOST...
bool isWrittenEventFileName(std::string_view name);

// The event files directly inside `directory`, sorted by name, the order in
// which readers join them. Empty if there are none or the directory is missing.
std::vector<std::filesystem::path>
eventFilesIn(const std::filesystem::path &directory);

// A directory with at least one event file, named by its path below the log
// directory; "." is the log directory itself.
struct RunDirectory {
  std::string name;
  std::filesystem::path path;
};

// All runs at or below `logDirectory`, sorted by name. Follows symbolic links
// except those that lead back to a directory they are in.
// Throws std::system_error if the directory cannot be read.
std::vector<RunDirectory> findRuns(const std::filesystem::path &logDirectory);

// As it stands in the names of files; "localhost" if the machine has none.
std::string hostName();

// What makes the name of an event file unique, and its place in the order.
struct EventFileName {
  std::int64_t seconds; // since the epoch, when the file was begun
  std::string host;
  std::int64_t process;
  std::uint32_t serial = 0; // of the file within its writer
  std::string suffix;
  std::string prefix = {}; // needed if other files' names sort after ours

  // PREFIXevents.out.tfevents.SECONDS.HOST.PROCESS.SERIALSUFFIX, the numbers
  // padded so that order by name is order in time.
  std::string text() const;
};

// Raises `seconds` until the name sorts after all event files of `directory`,
// because readers follow only the last file and clocks may go back. If a file
// has a name such as events.out.tfevents.repaired, adds a prefix instead.
EventFileName placeLast(EventFileName name,
                        const std::filesystem::path &directory);

} // namespace popscope::summary
