// The subcommands of popscope, a source each. Every function adds one to the
// command line; if it is chosen, `chosen` runs it. `app` is the whole program
// and outlives `chosen`; `commandLine` is all of it, beginning with the
// program.
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace popscope::host {

void addCompletionsCommand(CLI::App &app, Command &chosen);
// Turns the taps of a running training on and off.
void addControlCommand(CLI::App &app, Command &chosen);
void addDevicesCommand(CLI::App &app, Command &chosen);
// Where two runs part.
void addDiffCommand(CLI::App &app, Command &chosen);
// With subcommands of its own, those of host/events.
void addEventsCommand(CLI::App &app, Command &chosen);
// What was not finite first in a run.
void addHealthCommand(CLI::App &app, Command &chosen);
void addHelpCommand(CLI::App &app, Command &chosen);
void addPresetsCommand(CLI::App &app, Command &chosen);
// That taps do not change a training.
void addProveCommand(CLI::App &app, Command &chosen,
                     const std::vector<std::string> &commandLine);
// Updates of a run again, with other taps.
void addReplayCommand(CLI::App &app, Command &chosen,
                      const std::vector<std::string> &commandLine);
// A page that shows runs.
void addReportCommand(CLI::App &app, Command &chosen);
void addTapsCommand(CLI::App &app, Command &chosen);
// Opens TensorBoard on a log.
void addTensorboardCommand(CLI::App &app, Command &chosen);
void addTrainCommand(CLI::App &app, Command &chosen,
                     const std::vector<std::string> &commandLine);

} // namespace popscope::host
