// The subcommands of popscope events. Each function adds one to `events`; when
// it is the one parsed, `chosen` runs it.
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host::events {

// Lists tags by kind, counts, steps and the state of the files.
void addInspectCommand(CLI::App &events, Command &chosen);
// Checks that every record of every file is whole.
void addCheckCommand(CLI::App &events, Command &chosen);
// Explains why TensorBoard would show nothing, or not everything.
void addDoctorCommand(CLI::App &events, Command &chosen);
// Prints every value, one per line.
void addCatCommand(CLI::App &events, Command &chosen);
// Writes a new file with some of the steps and tags of a run.
void addCutCommand(CLI::App &events, Command &chosen);
// Writes a new file with every whole record of a run.
void addRepairCommand(CLI::App &events, Command &chosen);
// Writes one log of parts that were written apart.
void addMergeCommand(CLI::App &events, Command &chosen);
// Writes scalars, histograms, images, audio and text for other programs.
void addExportCommand(CLI::App &events, Command &chosen);

} // namespace popscope::host::events
