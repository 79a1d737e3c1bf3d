#include "host/commands/subcommands.hpp"
#include "host/events/subcommands.hpp"

#include <CLI/CLI.hpp>

namespace popscope::host {

void addEventsCommand(CLI::App &app, Command &chosen) {
  CLI::App *command = app.add_subcommand(
      "events",
      "Look into TensorBoard event files, check, merge and repair them");
  command->require_subcommand(1);
  events::addInspectCommand(*command, chosen);
  events::addCheckCommand(*command, chosen);
  events::addDoctorCommand(*command, chosen);
  events::addCatCommand(*command, chosen);
  events::addCutCommand(*command, chosen);
  events::addRepairCommand(*command, chosen);
  events::addMergeCommand(*command, chosen);
  events::addExportCommand(*command, chosen);
  command->footer("Examples:\n"
                  "  popscope events inspect logs\n"
                  "  popscope events doctor logs\n"
                  "  popscope events export logs/train --tag loss");
}

} // namespace popscope::host
