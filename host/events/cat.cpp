#include "host/events/file_walk.hpp"
#include "host/events/run_index.hpp"
#include "host/events/step_range.hpp"
#include "host/events/subcommands.hpp"
#include "host/events/value_text.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

namespace popscope::host::events {

namespace {

using summary::EventView;

struct CatOptions {
  LogSelection log;
  StepRange steps;
  bool json = false;
};

// One line: a value, or an event without values.
struct Line {
  const std::string &run;
  const EventView &event;
  std::string kind;
  std::string tag;
  std::string text;
};

std::vector<std::string> cellsOf(const Line &line) {
  return {
      text::oneLine(line.run),         text::pythonNumber(line.event.wallTime),
      std::to_string(line.event.step), line.kind,
      text::oneLine(line.tag),         text::oneLine(line.text)};
}

void printJson(const Line &line) {
  std::cout << "{\"run\": " << text::jsonString(line.run)
            << ", \"wall_time\": " << text::jsonNumber(line.event.wallTime)
            << ", \"step\": " << line.event.step
            << ", \"kind\": " << text::jsonString(line.kind)
            << ", \"tag\": " << text::jsonString(line.tag)
            << ", \"value\": " << text::jsonString(line.text) << "}\n";
}

// Prints lines as they come: as JSON, or in tables of a thousand rows.
class Output {
public:
  explicit Output(bool json) : json_(json) {}

  void add(const Line &line) {
    if (json_)
      return printJson(line);
    table_.add(cellsOf(line));
    if (++rows_ == kTableRows)
      finish();
  }
  void finish() {
    if (!table_.empty())
      table_.print(std::cout, text::layoutOfStdout(),
                   text::sizeOfTerminal().columns);
    table_ = emptyTable();
    rows_ = 0;
  }

private:
  static constexpr std::size_t kTableRows = 1000;

  static text::Table emptyTable() {
    return text::Table({"run", "wall time", "step", "kind", "tag", "value"});
  }

  const bool json_;
  text::Table table_ = emptyTable();
  std::size_t rows_ = 0;
};

class Printer {
public:
  Printer(const CatOptions &options, const LogRun &run, Output &output)
      : options_(options), run_(run), output_(output) {}

  void show(const EventView &event) {
    const bool isWanted = options_.steps.has(event.step);
    if (event.kind != summary::EventKind::summary) {
      if (isWanted && options_.log.tags.empty())
        output_.add({run_.name, event, std::string(summary::nameOf(event.kind)),
                     "", contentOf(event)});
      return;
    }
    summary::ValueCursor values(event);
    while (const auto value = values.next()) {
      // Also for values that are not shown: the first one decides the kind.
      const TagSeries &series = index_.seriesOf(*value);
      if (isWanted && options_.log.tags.match(series.tag))
        output_.add({run_.name, event, series.kind, series.tag,
                     describeValue(*value, series.kind)});
    }
  }

  const RunIndex &index() const { return index_; }

private:
  static std::string contentOf(const EventView &event) {
    return event.kind == summary::EventKind::fileVersion
               ? std::string(event.content)
               : std::to_string(event.content.size()) + " bytes";
  }

  const CatOptions &options_;
  const LogRun &run_;
  Output &output_;
  RunIndex index_;
};

int cat(const CatOptions &options) {
  options.steps.expectNotEmpty();
  const std::vector<LogRun> runs = options.log.findRuns();
  FileWalk walk(runs);
  bool allWhole = true;
  KnownTags known(options.log);
  Output output(options.json);
  for (const LogRun &run : runs) {
    Printer printer(options, run, output);
    for (const auto &path : run.files) {
      const FileState file =
          walk.walk(path, [&](const EventView &event, const auto &) {
            printer.show(event);
          });
      allWhole = reportUnlessWhole(file) && allWhole;
    }
    known.add(printer.index());
  }
  output.finish();
  known.requireMatches();
  return allWhole ? exitOk : exitFailed;
}

} // namespace

void addCatCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<CatOptions>();
  CLI::App *command = events.add_subcommand("cat", "Every value, one per line");
  addLogSelection(*command, options->log, Chooses::runsAndTags);
  addStepRange(*command, options->steps);
  command->add_flag("--json", options->json, "A JSON object per line");
  command->footer(
      "Columns: run, wall time, step, kind, tag, value; separated by "
      "tabs in a\npipe. Damage is reported on standard error; "
      "values after it are shown.\n"
      "Example:\n  popscope events cat logs/train --tag loss");
  command->callback(
      [options, &chosen] { chosen = [options] { return cat(*options); }; });
}

} // namespace popscope::host::events
