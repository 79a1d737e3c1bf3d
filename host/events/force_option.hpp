// The option that lets a command replace existing files.
#pragma once

#include "host/run/output_file.hpp"

#include <CLI/CLI.hpp>

namespace popscope::host::events {

// Adds --force; `ifExists` outlives the parsing.
inline void addForce(CLI::App &command, IfExists &ifExists) {
  command.add_flag_callback(
      "--force", [&ifExists] { ifExists = IfExists::replace; },
      "Replace files that exist");
}

} // namespace popscope::host::events
