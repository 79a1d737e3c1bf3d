// Which files of a directory are event files, in what order they are read, and
// how the next one is to be called.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::summary {

// Readers take a file for an event file if its name contains "tfevents".
bool isEventFileName(std::string_view name);

// The event files directly inside `directory` in the order in which readers
// join them, which is by name. Empty if there are none or no such directory.
std::vector<std::filesystem::path>
eventFilesIn(const std::filesystem::path &directory);

// A directory with at least one event file, named by its path below the log
// directory; "." is the log directory itself.
struct RunDirectory {
  std::string name;
  std::filesystem::path path;
};

// All runs at or below `logDirectory`, by name, symbolic links followed. A link
// that leads back to a directory already on the way to it is not entered.
// Throws std::system_error if the directory cannot be read.
std::vector<RunDirectory> findRuns(const std::filesystem::path &logDirectory);

// What makes the name of an event file unique, and its place in the order.
struct EventFileName {
  std::int64_t seconds; // since the epoch, when the file was begun
  std::string host;
  std::int64_t process;
  std::uint32_t serial = 0; // of the file within its writer
  std::string suffix;
  std::string prefix = {}; // if the others have names that sort behind ours

  // PREFIXevents.out.tfevents.SECONDS.HOST.PROCESS.SERIALSUFFIX, the numbers
  // padded so that order by name is order in time.
  std::string text() const;
};

// Raises `seconds` until the name sorts behind all event files of `directory`:
// readers follow only the last one, and clocks go backwards. Behind a file that
// someone named events.out.tfevents.repaired no number helps but a prefix.
EventFileName placeLast(EventFileName name,
                        const std::filesystem::path &directory);

} // namespace popscope::summary
