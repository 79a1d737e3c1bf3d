#include "host/events/printing/trends.hpp"
#include "host/events/reading/file_walk.hpp"
#include "host/events/reading/run_index.hpp"
#include "host/events/subcommands.hpp"
#include "text/quoting.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

namespace popscope::host::events {

namespace {

using summary::EventKind;

struct InspectOptions {
  LogSelection log;
  bool json = false;
};

struct Inspection {
  std::string run;
  std::vector<FileState> files;
  RunIndex index;
  std::vector<const TagSeries *> tags; // the chosen ones, by kind and name
};

Inspection inspectRun(const LogRun &run, const Globs &globs, FileWalk &walk) {
  Inspection result;
  result.run = run.name;
  for (const auto &file : run.files)
    result.files.push_back(walk.index(file, result.index));
  for (const TagSeries &series : result.index.tags())
    if (globs.match(series.tag))
      result.tags.push_back(&series);
  std::sort(result.tags.begin(), result.tags.end(),
            [](const TagSeries *a, const TagSeries *b) {
              return std::tie(a->kind, a->tag) < std::tie(b->kind, b->tag);
            });
  return result;
}

std::vector<std::string> tagCells(const TagSeries &tag) {
  const TagCounts &counts = tag.counts;
  return {tag.kind,
          text::oneLine(tag.tag),
          std::to_string(counts.values()),
          std::to_string(counts.firstStep()),
          std::to_string(counts.lastStep()),
          std::to_string(counts.outOfOrder()),
          std::to_string(counts.bytes())};
}

std::vector<std::string> fileCells(const FileState &file) {
  return {text::oneLine(file.path.filename().string()),
          std::to_string(file.bytes), std::to_string(file.records),
          describe(file)};
}

void printForPeople(const Inspection &run,
                    const std::map<std::string, std::string> &trends) {
  const std::size_t columns = text::sizeOfTerminal().columns;
  std::cout << "run " << text::oneLine(run.run) << '\n';
  text::Table files({"file", "bytes", "records", "state"});
  for (const FileState &file : run.files)
    files.add(fileCells(file));
  files.print(std::cout, text::Layout::aligned, columns);
  std::vector<std::string> heading = {"kind", "tag",          "values", "first",
                                      "last", "out of order", "bytes"};
  if (!trends.empty())
    heading.emplace_back("trend");
  text::Table tags(heading);
  for (const TagSeries *tag : run.tags) {
    std::vector<std::string> cells = tagCells(*tag);
    if (!trends.empty()) {
      const auto trend = trends.find(tag->tag);
      cells.push_back(trend == trends.end() ? "" : trend->second);
    }
    tags.add(std::move(cells));
  }
  tags.dropToFit(columns, {"bytes", "out of order"});
  if (!tags.empty()) {
    std::cout << '\n';
    tags.print(std::cout, text::Layout::aligned, columns);
  }
  for (const EventKind kind : {EventKind::graphDef, EventKind::sessionLog,
                               EventKind::taggedRunMetadata})
    if (const auto count = run.index.events(kind))
      std::cout << "  " << summary::nameOf(kind) << ": " << count << '\n';
  std::cout << '\n';
}

void printForPipes(const Inspection &run) {
  std::string text; // of ten thousand tags, in one write
  const std::string name = text::oneLine(run.run);
  const auto add = [&](const char *what,
                       const std::vector<std::string> &cells) {
    text += what;
    text += '\t' + name;
    for (const std::string &cell : cells)
      text += '\t' + cell;
    text += '\n';
  };
  for (const FileState &file : run.files)
    add("file", fileCells(file));
  for (const TagSeries *tag : run.tags)
    add("tag", tagCells(*tag));
  std::cout << text;
}

void printJson(const Inspection &run) {
  std::cout << "{\"run\": " << text::jsonString(run.run) << ", \"files\": [";
  const char *separator = "";
  for (const FileState &file : run.files) {
    std::cout << separator
              << "{\"path\": " << text::jsonString(file.path.string())
              << ", \"bytes\": " << file.bytes
              << ", \"records\": " << file.records
              << ", \"whole\": " << (file.isWhole() ? "true" : "false")
              << ", \"state\": " << text::jsonString(describe(file)) << "}";
    separator = ", ";
  }
  std::cout << "], \"graphs\": " << run.index.events(EventKind::graphDef)
            << ", \"session_logs\": " << run.index.events(EventKind::sessionLog)
            << ", \"run_metadata\": "
            << run.index.events(EventKind::taggedRunMetadata)
            << ", \"tags\": [";
  separator = "";
  for (const TagSeries *tag : run.tags) {
    const TagCounts &counts = tag->counts;
    std::cout << separator << "{\"kind\": " << text::jsonString(tag->kind)
              << ", \"tag\": " << text::jsonString(tag->tag)
              << ", \"values\": " << counts.values()
              << ", \"first_step\": " << counts.firstStep()
              << ", \"last_step\": " << counts.lastStep()
              << ", \"min_step\": " << counts.minStep()
              << ", \"max_step\": " << counts.maxStep()
              << ", \"out_of_order\": " << counts.outOfOrder()
              << ", \"bytes\": " << counts.bytes() << "}";
    separator = ", ";
  }
  std::cout << "]}";
}

int inspect(const InspectOptions &options) {
  const std::vector<LogRun> runs = options.log.findRuns();
  FileWalk walk(runs);
  const text::Layout layout = text::layoutOfStdout();
  const char *separator = "[";
  bool allWhole = true;
  KnownTags known(options.log);
  for (const LogRun &run : runs) {
    const Inspection found = inspectRun(run, options.log.tags, walk);
    known.add(found.index);
    for (const FileState &file : found.files)
      allWhole = allWhole && file.isWhole();
    if (options.json) {
      std::cout << separator;
      printJson(found);
      separator = ",\n ";
    } else if (layout == text::Layout::aligned) {
      printForPeople(found, trendsOf(run, found.tags, walk));
    } else {
      printForPipes(found);
    }
  }
  if (options.json)
    std::cout << "]\n";
  known.requireMatches();
  return allWhole ? exitOk : exitFailed;
}

} // namespace

void addInspectCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App *command = events.add_subcommand(
      "inspect", "What is in the runs: tags by kind, counts, steps, files");
  addLogSelection(*command, options->log, Paths::several, Chooses::runsAndTags);
  command->add_flag("--json", options->json, "A JSON list of runs");
  command->footer(
      "In a pipe: one line per file and one per tag, columns separated by "
      "tabs:\n"
      "  file RUN NAME BYTES RECORDS STATE\n"
      "  tag RUN KIND TAG VALUES FIRST-STEP LAST-STEP OUT-OF-ORDER BYTES\n"
      "In a terminal, scalars have their trend: sixteen means from the first\n"
      "value to the last, x where one is not finite.\n"
      "Example:\n  popscope events inspect logs --tag 'loss*'");
  command->callback(
      [options, &chosen] { chosen = [options] { return inspect(*options); }; });
}

} // namespace popscope::host::events
