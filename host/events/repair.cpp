#include "host/command.hpp"
#include "host/events/reading/file_walk.hpp"
#include "host/events/subcommands.hpp"
#include "host/events/writing/new_event_file.hpp"
#include "text/quoting.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

namespace popscope::host::events {

namespace {

struct RepairOptions {
  LogSelection log;
  OutputOptions output;
  bool json = false;
};

int repair(const RepairOptions &options) {
  const LogRun run = options.log.findRun();
  FileWalk walk({run});
  NewEventFile output(options.output, run);
  std::uint64_t bytesLost = 0;
  for (const auto &path : run.files) {
    const FileState file =
        walk.walk(path, [&](const auto &, const summary::EventReader &reader) {
          output.append(reader.payload());
        });
    requireReadable(file);
    for (const Gap &gap : file.gaps)
      bytesLost += gap.bytes;
    bytesLost += file.tornBytes;
  }
  if (output.records() == 0)
    throw BadInput(options.log.where() +
                   ": no whole record, nothing to repair");
  output.commit();
  if (options.json)
    std::cout << "{\"path\": " << text::jsonString(options.output.path.string())
              << ", \"records\": " << output.records()
              << ", \"bytes_left_out\": " << bytesLost << "}\n";
  else
    std::cout << options.output.path.string() << ": " << output.records()
              << " whole records; " << bytesLost << " bytes left out\n";
  return exitOk;
}

} // namespace

void addRepairCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<RepairOptions>();
  CLI::App *command = events.add_subcommand(
      "repair", "Copy every whole record to a new file; the old ones stay");
  addLogSelection(*command, options->log, Paths::one, Chooses::runs);
  addOutput(*command, options->output, "The event file to write")->required();
  command->add_flag("--json", options->json, "What was written as JSON");
  command->footer("Example:\n  popscope events repair logs/train "
                  "-o repaired/events.out.tfevents.repaired");
  command->callback(
      [options, &chosen] { chosen = [options] { return repair(*options); }; });
}

} // namespace popscope::host::events
