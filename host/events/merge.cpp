#include "host/command.hpp"
#include "host/events/reading/file_walk.hpp"
#include "host/events/subcommands.hpp"
#include "host/events/writing/merged_run.hpp"
#include "host/events/writing/new_event_file.hpp"
#include "host/terminal/problem.hpp"
#include "summary/records/event_files.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

namespace popscope::host::events {

namespace fs = std::filesystem;

namespace {

struct MergeOptions {
  LogSelection log;
  OutputOptions output;
  Taps taps = Taps::join;
  bool json = false;
};

// By name, each run with its part of every path. Throws BadInput if there is
// none, or if two paths lead to the same file.
std::map<std::string, std::vector<LogRun>> findParts(const LogSelection &log) {
  std::map<std::string, std::vector<LogRun>> parts;
  std::vector<std::string> names;
  std::set<fs::path> files;
  for (const fs::path &path : log.paths) {
    LogSelection one;
    one.paths = {path};
    for (LogRun &run : one.findRuns()) {
      for (const fs::path &file : run.files)
        if (!files.insert(fs::canonical(file)).second)
          throw BadInput(file.string() + ": " + path.string() +
                         " and a path before it both hold this file; give "
                         "each part once");
      names.push_back(run.name);
      if (log.runs.match(run.name))
        parts[run.name].push_back(std::move(run));
    }
  }
  log.runs.requireMatches(log.where() + ": no run", "--run", names);
  return parts;
}

// The directory of a run in the output, which has no event files yet.
fs::path outputDirectory(const fs::path &output, const std::string &run) {
  const fs::path directory =
      (output / run / "").lexically_normal().parent_path();
  if (!summary::eventFilesIn(directory).empty())
    throw BadInput(directory.string() +
                   ": holds event files already, which TensorBoard would join "
                   "with the merged one; choose another directory");
  return directory;
}

void printText(const fs::path &output, std::size_t runs,
               const MergeCounts &counts) {
  std::cout << output.string() << ": " << text::counted(counts.points, "point")
            << " in " << text::counted(runs, "run");
  const auto add = [](std::uint64_t count, const char *what) {
    if (count != 0)
      std::cout << "; " << count << " " << what;
  };
  add(counts.equal, "copies left out");
  add(counts.replaced, "replaced by later ones");
  add(counts.folded, "folded");
  add(counts.unknown, "left out, because they cannot be folded");
  std::cout << '\n';
}

void printJson(const fs::path &output, std::size_t runs,
               const MergeCounts &counts) {
  std::cout << "{\"path\": " << text::jsonString(output.string())
            << ", \"runs\": " << runs << ", \"points\": " << counts.points
            << ", \"copies\": " << counts.equal
            << ", \"replaced\": " << counts.replaced
            << ", \"folded\": " << counts.folded
            << ", \"not_foldable\": " << counts.unknown << "}\n";
}

int merge(const MergeOptions &options) {
  auto parts = findParts(options.log);
  const fs::path &output = options.output.path;
  for (const auto &[name, runs] : parts)
    (void)outputDirectory(output, name); // before the long work

  std::vector<LogRun> all;
  for (const auto &[name, runs] : parts)
    all.insert(all.end(), runs.begin(), runs.end());
  FileWalk walk(all);
  bool allWhole = true;
  MergeCounts counts;
  std::vector<std::unique_ptr<NewEventFile>> files;
  for (auto &[name, runs] : parts) {
    MergedRun run(std::move(runs), walk);
    allWhole = allWhole && run.areFilesWhole();
    if (run.empty())
      continue;
    const fs::path directory = outputDirectory(output, name);
    std::error_code error;
    fs::create_directories(directory, error);
    if (error)
      throw BadInput(directory.string() + ": " + error.message());
    OutputOptions file;
    file.path = directory / run.fileName();
    files.push_back(std::make_unique<NewEventFile>(file, run.source()));
    run.write(options.taps, *files.back(), counts);
  }
  if (files.empty())
    throw BadInput(options.log.where() + ": no whole record, nothing to merge");
  for (const auto &file : files)
    file->commit();
  if (options.json)
    printJson(output, files.size(), counts);
  else
    printText(output, files.size(), counts);
  if (counts.foldable != 0)
    printProblem(text::counted(counts.foldable, "statistic") +
                 " of taps came from more than one input, and the last one "
                 "was kept; if the inputs are parts of one training, --fold "
                 "makes them those of the whole");
  return allWhole ? exitOk : exitFailed;
}

} // namespace

void addMergeCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App *command = events.add_subcommand(
      "merge", "Make one log of parts that were written apart");
  addLogSelection(*command, options->log, Paths::several, Chooses::runs);
  command
      ->add_option("-o,--output", options->output.path,
                   "The log directory to write")
      ->type_name("DIR")
      ->required();
  command->add_flag_callback(
      "--fold", [options] { options->taps = Taps::fold; },
      "Statistics and histograms of taps that several inputs have at a step "
      "become those of all elements together");
  command->add_flag("--json", options->json, "What was written as JSON");
  command->footer(
      "Runs of the same name become one file, in order of step and wall time.\n"
      "A tag has one point at a step: that of the latest wall time. The same\n"
      "point in two inputs is written once. The old files stay.\n"
      "Example:\n  popscope events merge node0/logs node1/logs -o merged "
      "--fold");
  command->callback(
      [options, &chosen] { chosen = [options] { return merge(*options); }; });
}

} // namespace popscope::host::events
