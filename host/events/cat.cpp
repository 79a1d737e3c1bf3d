#include "host/events/file_walk.hpp"
#include "host/events/run_index.hpp"
#include "host/events/step_range.hpp"
#include "host/events/subcommands.hpp"
#include "host/events/text_output.hpp"
#include "host/events/value_text.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

namespace popscope::host::events {

namespace {

using summary::EventView;

struct CatOptions {
  LogChoice log;
  StepRange steps;
  bool json = false;
};

// One line: a value, or an event that holds none.
struct Line {
  const std::string &run;
  const EventView &event;
  std::string kind;
  std::string tag;
  std::string text;
};

void printText(const Line &line) {
  std::cout << oneLine(line.run) << '\t' << pythonNumber(line.event.wallTime)
            << '\t' << line.event.step << '\t' << line.kind << '\t'
            << oneLine(line.tag) << '\t' << oneLine(line.text) << '\n';
}

void printJson(const Line &line) {
  std::cout << "{\"run\": " << jsonString(line.run)
            << ", \"wall_time\": " << jsonNumber(line.event.wallTime)
            << ", \"step\": " << line.event.step
            << ", \"kind\": " << jsonString(line.kind)
            << ", \"tag\": " << jsonString(line.tag)
            << ", \"value\": " << jsonString(line.text) << "}\n";
}

class Printer {
public:
  Printer(const CatOptions &options, const LogRun &run)
      : options_(options), run_(run) {}

  void show(const EventView &event) {
    const bool isWanted = options_.steps.has(event.step);
    if (event.kind != summary::EventKind::summary) {
      if (isWanted && options_.log.tags.empty())
        print({run_.name, event, std::string(summary::nameOf(event.kind)), "",
               contentOf(event)});
      return;
    }
    summary::ValueCursor values(event);
    while (const auto value = values.next()) {
      // Also of values that are not shown: the first one tells the kind.
      const TagSeries &series = index_.seriesOf(*value);
      if (isWanted && options_.log.tags.match(series.tag))
        print({run_.name, event, series.kind, series.tag,
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
  void print(const Line &line) const {
    options_.json ? printJson(line) : printText(line);
  }

  const CatOptions &options_;
  const LogRun &run_;
  RunIndex index_;
};

int cat(const CatOptions &options) {
  options.steps.expectNotEmpty();
  const std::vector<LogRun> runs = options.log.findRuns();
  FileWalk walk(runs);
  bool allWhole = true;
  KnownTags known(options.log);
  for (const LogRun &run : runs) {
    Printer printer(options, run);
    for (const auto &path : run.files) {
      const FileState file =
          walk.walk(path, [&](const EventView &event, const auto &) {
            printer.show(event);
          });
      allWhole = reportUnlessWhole(file) && allWhole;
    }
    known.add(printer.index());
  }
  known.requireMatches();
  return allWhole ? exitOk : exitFailed;
}

} // namespace

void addCatCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<CatOptions>();
  CLI::App *command = events.add_subcommand("cat", "Every value, one per line");
  addLogChoice(*command, options->log, Chooses::runsAndTags);
  addStepRange(*command, options->steps);
  command->add_flag("--json", options->json, "A JSON object per line");
  command->footer("Columns, parted by tabs: run, wall time, step, kind, tag, "
                  "value.\nDamage is said on the standard error stream; what "
                  "lies behind it is shown.\n"
                  "Example:\n  popscope events cat logs/train --tag loss");
  command->callback(
      [options, &chosen] { chosen = [options] { return cat(*options); }; });
}

} // namespace popscope::host::events
