#include "host/events/reading/step_range.hpp"

#include "host/command.hpp"
#include "host/terminal/typed_options.hpp"

#include <CLI/CLI.hpp>
#include <string>

namespace popscope::host::events {

void StepRange::expectNotEmpty() const {
  if (from > to)
    throw BadInput("--from-step " + std::to_string(from) +
                   " is greater than --to-step " + std::to_string(to));
}

void addStepRange(CLI::App &command, StepRange &range) {
  const auto add = [&command](const std::string &name, std::int64_t &step,
                              const char *help) {
    command
        .add_option_function<std::string>(
            name,
            [name, &step](const std::string &text) {
              step = parseSigned(name, text);
            },
            help)
        ->type_name("N");
  };
  add("--from-step", range.from, "The first step to include");
  add("--to-step", range.to, "The last step to include");
}

} // namespace popscope::host::events
