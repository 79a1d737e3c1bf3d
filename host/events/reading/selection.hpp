// The part of logs that a command works on: paths, runs and tags.
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

// Patterns as in a shell, except that * also matches '/'. Without any pattern,
// everything matches.
class Globs {
public:
  bool match(std::string_view name) const;
  bool empty() const { return patterns_.empty(); }
  // Throws BadInput if a pattern matches none of the names. The message begins
  // with `where`, names the option and the pattern, and suggests names.
  void requireMatches(const std::string &where, const char *option,
                      const std::vector<std::string> &names) const;
  // The command line fills them in.
  std::vector<std::string> &patterns() { return patterns_; }

private:
  std::vector<std::string> patterns_;
};

struct LogRun {
  // As TensorBoard shows it; "." is the path itself. If several paths were
  // given, the path is in front.
  std::string name;
  std::vector<std::filesystem::path> files; // in the order they are read
};

// All runs at or below the directory. Throws BadInput if it, or a directory in
// it, cannot be read.
std::vector<LogRun> runsIn(const std::filesystem::path &directory);

// Throws BadInput unless the path is an event file or a directory.
void requireLog(const std::filesystem::path &path);

struct LogSelection {
  // Each is an event file, a run or a log directory.
  std::vector<std::filesystem::path> paths;
  Globs runs;
  Globs tags;

  // The paths, for messages.
  std::string where() const;
  // The name of a run at one of the paths, called `run` below it.
  std::string nameOf(const std::filesystem::path &path,
                     const std::string &run) const;
  // The runs at the paths that match. Throws BadInput if there is nothing at
  // one of them, or nothing matches.
  std::vector<LogRun> findRuns() const;
  // The one run that matches. Throws BadInput if there are several.
  LogRun findRun() const;
};

// Collects the tags that a command has seen, to check in the end that those the
// user named exist.
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

enum class Paths { one, several };
enum class Chooses { runs, runsAndTags };

// Adds the argument PATH and the options --run and --tag.
void addLogSelection(CLI::App &command, LogSelection &choice, Paths paths,
                     Chooses chooses);

// The size of all files; one that was removed counts as empty.
std::uint64_t bytesOf(const LogRun &run);
std::uint64_t bytesOf(const std::filesystem::path &file);

} // namespace popscope::host::events
