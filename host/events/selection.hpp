// What of a log a command works on: the path, runs and tags the user named.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::host::events {

class RunIndex;

// Patterns as in a shell, except that * also matches '/'. No pattern at all
// matches everything.
class Globs {
public:
  bool match(std::string_view name) const;
  bool empty() const { return patterns_.empty(); }
  // Throws BadInput that begins with `where`, names the first pattern of this
  // `option` that matches none of the names, and suggests some.
  void requireMatches(const std::string &where, const char *option,
                      const std::vector<std::string> &names) const;
  // For the command line to fill.
  std::vector<std::string> &patterns() { return patterns_; }

private:
  std::vector<std::string> patterns_;
};

struct LogRun {
  std::string name; // as TensorBoard shows it; "." is the path itself
  std::vector<std::filesystem::path> files; // in the order they are read
};

// All runs at or below the directory. Throws BadInput if it, or a directory in
// it, cannot be read.
std::vector<LogRun> runsIn(const std::filesystem::path &directory);

struct LogSelection {
  std::filesystem::path path; // an event file, a run or a log directory
  Globs runs;
  Globs tags;

  // The runs at the path that match. Throws BadInput if there is nothing.
  std::vector<LogRun> findRuns() const;
  // The one run that matches. Throws BadInput if there are several.
  LogRun findRun() const;
};

// The tags that a command came upon, to tell in the end whether those that the
// user named are there.
class KnownTags {
public:
  explicit KnownTags(const LogSelection &log) : log_(log) {} // outlives this

  void add(const RunIndex &run);
  // Throws BadInput if one of the patterns of --tag matched none of them.
  void requireMatches() const;

private:
  const LogSelection &log_;
  std::set<std::string> tags_; // of all runs
};

enum class Chooses { runs, runsAndTags };

// Adds the argument PATH and the options --run and --tag.
void addLogSelection(CLI::App &command, LogSelection &choice, Chooses chooses);

// Of all files; one that vanished counts as empty.
std::uint64_t bytesOf(const LogRun &run);
std::uint64_t bytesOf(const std::filesystem::path &file);

} // namespace popscope::host::events
