#include "host/events/printing/follow.hpp"
#include "host/events/printing/value_lines.hpp"
#include "host/events/reading/file_walk.hpp"
#include "host/events/subcommands.hpp"

#include <CLI/CLI.hpp>
#include <memory>

namespace popscope::host::events {

namespace {

int cat(const CatOptions &options) {
  options.steps.expectNotEmpty();
  if (options.follow)
    return follow(options);
  const std::vector<LogRun> runs = options.log.findRuns();
  FileWalk walk(runs);
  bool allWhole = true;
  ValueLines lines(options);
  for (const LogRun &run : runs)
    for (const auto &path : run.files) {
      const FileState file =
          walk.walk(path, [&](const summary::EventView &event, const auto &) {
            lines.add(run.name, event);
          });
      allWhole = reportUnlessWhole(file) && allWhole;
    }
  lines.finish();
  KnownTags known(options.log);
  for (const auto &[run, index] : lines.indexes())
    known.add(index);
  known.requireMatches();
  return allWhole ? exitOk : exitFailed;
}

} // namespace

void addCatCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<CatOptions>();
  CLI::App *command = events.add_subcommand("cat", "Every value, one per line");
  addLogSelection(*command, options->log, Paths::several, Chooses::runsAndTags);
  addStepRange(*command, options->steps);
  command->add_flag("--json", options->json, "A JSON object per line");
  command->add_flag("-f,--follow", options->follow,
                    "Go on with what is written later, until Ctrl-C; a path "
                    "that does not exist yet is waited for");
  command->footer(
      "Columns: run, wall time, step, kind, tag, value; separated by "
      "tabs in a\npipe. Damage is reported on standard error; "
      "values after it are shown.\n"
      "Examples:\n"
      "  popscope events cat logs/train --tag loss\n"
      "  popscope events cat logs/train --tag loss --follow");
  command->callback(
      [options, &chosen] { chosen = [options] { return cat(*options); }; });
}

} // namespace popscope::host::events
