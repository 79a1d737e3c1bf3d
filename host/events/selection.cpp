#include "host/events/selection.hpp"

#include "host/command.hpp"
#include "host/events/run_index.hpp"
#include "summary/records/event_files.hpp"
#include "text/nearest_names.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fnmatch.h>
#include <system_error>

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
  log_.tags.requireMatches(log_.path.string() + ": no tag", "--tag",
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

std::vector<LogRun> LogSelection::findRuns() const {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    throw BadInput(path.string() + ": no such file or directory");
  // Some commands read a file twice or in several places at once, and reading
  // from a pipe without a writer would never end.
  if (!fs::is_regular_file(status) && !fs::is_directory(status))
    throw BadInput(path.string() + ": neither a file nor a directory; copy a "
                                   "pipe or a device to a file first");
  std::vector<LogRun> all{{".", {path}}};
  if (fs::is_directory(status))
    all = runsIn(path);
  if (all.empty())
    throw BadInput(path.string() + ": no event files (their names contain "
                                   "\"tfevents\") at or below this directory");

  std::vector<LogRun> chosen;
  std::vector<std::string> names;
  for (const LogRun &run : all) {
    names.push_back(run.name);
    if (runs.match(run.name))
      chosen.push_back(run);
  }
  runs.requireMatches(path.string() + ": no run", "--run", names);
  return chosen;
}

LogRun LogSelection::findRun() const {
  const std::vector<LogRun> found = findRuns();
  if (found.size() > 1)
    throw BadInput(path.string() + ": holds " + std::to_string(found.size()) +
                   " runs, such as " + found[0].name + " and " + found[1].name +
                   "; choose one with --run");
  return found.front();
}

void addLogSelection(CLI::App &command, LogSelection &choice, Chooses chooses) {
  command
      .add_option("PATH", choice.path,
                  "An event file, a run or a directory of runs")
      ->type_name("")
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
