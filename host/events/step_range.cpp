#include "host/events/step_range.hpp"

#include "host/command.hpp"

#include <CLI/CLI.hpp>

namespace popscope::host::events {

void StepRange::expectNotEmpty() const {
  if (from > to)
    throw BadInput("--from-step " + std::to_string(from) +
                   " is behind --to-step " + std::to_string(to));
}

void addStepRange(CLI::App &command, StepRange &range) {
  command.add_option("--from-step", range.from, "The first step to take")
      ->type_name("N");
  command.add_option("--to-step", range.to, "The last step to take")
      ->type_name("N");
}

} // namespace popscope::host::events
