#include "host/events/reading/selection.hpp"

#include "host/command.hpp"
#include "host/events/reading/run_index.hpp"
#include "summary/records/event_files.hpp"
#include "text/nearest_names.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fnmatch.h>
#include <system_error>
#include <utility>

namespace popscope::host::events {

namespace fs = std::filesystem;

bool Globs::match(std::string_view name) const {
  const std::string text(name);
  return patterns_.empty() ||
         std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const std::string &pattern) {
                       return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
                     });
}

void Globs::requireMatches(const std::string &where, const char *option,
                           const std::vector<std::string> &names) const {
  for (const std::string &pattern : patterns_)
    if (std::none_of(names.begin(), names.end(), [&](const std::string &name) {
          return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
        }))
      throw BadInput(where + " matches " + option + " '" + pattern + "'" +
                     (names.empty() ? std::string()
                                    : "; the nearest are " +
                                          text::nearestNames(pattern, names)));
}

void KnownTags::add(const RunIndex &run) {
  if (log_.tags.empty())
    return;
  for (const TagSeries &series : run.tags())
    tags_.insert(series.tag);
}

void KnownTags::requireMatches() const {
  log_.tags.requireMatches(log_.where() + ": no tag", "--tag",
                           {tags_.begin(), tags_.end()});
}

std::vector<LogRun> runsIn(const fs::path &directory) try {
  std::vector<LogRun> runs;
  for (const summary::RunDirectory &run : summary::findRuns(directory))
    runs.push_back({run.name, summary::eventFilesIn(run.path)});
  return runs;
} catch (const fs::filesystem_error &failure) {
  const fs::path &culprit =
      failure.path1().empty() ? directory : failure.path1();
  throw BadInput(culprit.string() + ": " + failure.code().message());
}

void requireLog(const fs::path &path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    throw BadInput(path.string() + ": no such file or directory");
  // Some commands read a file twice or in several places at once, and reading
  // from a pipe without a writer would never end.
  if (!fs::is_regular_file(status) && !fs::is_directory(status))
    throw BadInput(path.string() + ": neither a file nor a directory; copy a "
                                   "pipe or a device to a file first");
}

std::string LogSelection::where() const {
  std::string text;
  for (const fs::path &path : paths)
    text += (text.empty() ? "" : ", ") + path.string();
  return text;
}

std::string LogSelection::nameOf(const fs::path &path,
                                 const std::string &run) const {
  if (paths.size() == 1)
    return run;
  return (path / run / "").lexically_normal().parent_path().generic_string();
}

std::vector<LogRun> LogSelection::findRuns() const {
  std::vector<LogRun> chosen;
  std::set<std::string> names;
  for (const fs::path &path : paths) {
    requireLog(path);
    std::vector<LogRun> all{{".", {path}}};
    if (fs::is_directory(path))
      all = runsIn(path);
    if (all.empty())
      throw BadInput(path.string() +
                     ": no event files (their names contain "
                     "\"tfevents\") at or below this directory");
    for (LogRun &run : all) {
      run.name = nameOf(path, run.name);
      const bool isNew = names.insert(run.name).second; // not given twice
      if (isNew && runs.match(run.name))
        chosen.push_back(std::move(run));
    }
  }
  runs.requireMatches(where() + ": no run", "--run",
                      {names.begin(), names.end()});
  return chosen;
}

LogRun LogSelection::findRun() const {
  const std::vector<LogRun> found = findRuns();
  if (found.size() > 1)
    throw BadInput(where() + ": holds " + std::to_string(found.size()) +
                   " runs, such as " + found[0].name + " and " + found[1].name +
                   "; choose one with --run");
  return found.front();
}

void addLogSelection(CLI::App &command, LogSelection &choice, Paths paths,
                     Chooses chooses) {
  command
      .add_option("PATH", choice.paths,
                  paths == Paths::several
                      ? "Event files, runs or directories of runs"
                      : "An event file, a run or a directory of runs")
      ->type_name("")
      ->expected(1, paths == Paths::several
                        ? CLI::detail::expected_max_vector_size
                        : 1)
      ->required();
  const auto add = [&](const char *name, Globs &globs, const char *help) {
    command.add_option(name, globs.patterns(), help)
        ->type_name("GLOB")
        ->allow_extra_args(false);
  };
  add("--run", choice.runs, "Only runs that match; may be repeated");
  if (chooses == Chooses::runsAndTags)
    add("--tag", choice.tags, "Only tags that match; may be repeated");
}

std::uint64_t bytesOf(const fs::path &file) {
  std::error_code vanished;
  const auto bytes = fs::file_size(file, vanished);
  return vanished ? 0 : bytes;
}

std::uint64_t bytesOf(const LogRun &run) {
  std::uint64_t bytes = 0;
  for (const fs::path &file : run.files)
    bytes += bytesOf(file);
  return bytes;
}

} // namespace popscope::host::events
