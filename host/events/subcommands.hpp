// The subcommands of popscope events. Each function adds one to `events`; when
// it is the one parsed, `chosen` runs it.
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host::events {

// What is in the runs: tags by kind, counts, steps, the state of the files.
void addInspectCommand(CLI::App &events, Command &chosen);
// Whether every record of every file is whole.
void addCheckCommand(CLI::App &events, Command &chosen);
// Why TensorBoard would show nothing, or not everything.
void addDoctorCommand(CLI::App &events, Command &chosen);
// Every value, one per line.
void addCatCommand(CLI::App &events, Command &chosen);
// A new file with some of the steps and tags of a run.
void addCutCommand(CLI::App &events, Command &chosen);
// A new file with every whole record of a run.
void addRepairCommand(CLI::App &events, Command &chosen);
// Scalars, histograms, images and text for other programs.
void addExportCommand(CLI::App &events, Command &chosen);

} // namespace popscope::host::events
