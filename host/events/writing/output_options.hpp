// Where a command writes: the options -o and --force.
#pragma once

#include "host/run/output_file.hpp"

#include <CLI/App.hpp>
#include <filesystem>

namespace popscope::host::events {

struct OutputOptions {
  std::filesystem::path path;
  IfExists ifExists = IfExists::refuse;
};

// Returns the option -o, for the caller to say more about it.
CLI::Option *addOutput(CLI::App &command, OutputOptions &options,
                       const char *help);

} // namespace popscope::host::events
