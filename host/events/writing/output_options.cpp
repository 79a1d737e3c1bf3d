#include "host/events/writing/output_options.hpp"

#include <CLI/CLI.hpp>

namespace popscope::host::events {

CLI::Option *addOutput(CLI::App &command, OutputOptions &options,
                       const char *help) {
  CLI::Option *const output =
      command.add_option("-o,--output", options.path, help)->type_name("FILE");
  command.add_flag_callback(
      "--force", [&options] { options.ifExists = IfExists::replace; },
      "Replace files that exist");
  return output;
}

} // namespace popscope::host::events
