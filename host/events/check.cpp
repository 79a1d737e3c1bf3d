#include "host/events/reading/file_walk.hpp"
#include "host/events/subcommands.hpp"
#include "text/quoting.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

namespace popscope::host::events {

namespace {

struct CheckOptions {
  LogSelection log;
  bool json = false;
};

void printText(const FileState &file) {
  std::cout << text::oneLine(file.path.string()) << ": ";
  if (!file.isDamaged()) {
    std::cout << describe(file) << ", " << file.records << " records\n";
    return;
  }
  std::cout << file.gaps.size() << " damaged, " << file.records
            << " whole records\n";
  for (const Gap &gap : file.gaps)
    std::cout << "  " << summary::describe(gap.damage) << "; " << gap.bytes
              << " bytes lost\n";
  FileState tail = file;
  tail.gaps.clear();
  if (!tail.isWhole())
    std::cout << "  " << describe(tail) << '\n';
}

void printJson(const FileState &file) {
  std::cout << "{\"path\": " << text::jsonString(file.path.string())
            << ", \"whole\": " << (file.isWhole() ? "true" : "false")
            << ", \"state\": " << text::jsonString(describe(file))
            << ", \"bytes\": " << file.bytes
            << ", \"records\": " << file.records << ", \"damages\": [";
  const char *separator = "";
  for (const Gap &gap : file.gaps) {
    std::cout << separator << "{\"offset\": " << gap.damage.offset
              << ", \"bytes\": " << gap.bytes << ", \"what\": "
              << text::jsonString(summary::describe(gap.damage)) << "}";
    separator = ", ";
  }
  std::cout << "], \"torn_bytes\": " << file.tornBytes << "}";
}

int check(const CheckOptions &options) {
  const std::vector<LogRun> runs = options.log.findRuns();
  FileWalk walk(runs);
  bool allWhole = true;
  const char *separator = "[";
  for (const LogRun &run : runs)
    for (const auto &path : run.files) {
      RunIndex ignored;
      const FileState file = walk.index(path, ignored);
      allWhole = allWhole && file.isWhole();
      if (options.json) {
        std::cout << separator;
        printJson(file);
        separator = ",\n ";
      } else {
        printText(file);
      }
    }
  if (options.json)
    std::cout << "]\n";
  return allWhole ? exitOk : exitFailed;
}

} // namespace

void addCheckCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App *command = events.add_subcommand(
      "check", "Whether every record is whole; exit code 1 if not");
  addLogSelection(*command, options->log, Paths::several, Chooses::runs);
  command->add_flag("--json", options->json, "A JSON list of files");
  command->footer("Example:\n  popscope events check logs");
  command->callback(
      [options, &chosen] { chosen = [options] { return check(*options); }; });
}

} // namespace popscope::host::events
