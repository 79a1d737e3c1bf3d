#include "host/train/inspection_options.hpp"

#include <CLI/CLI.hpp>

namespace popscope::host {

void addInspectionOptions(CLI::App &command, InspectionOptions &options) {
  const auto grouped = [](CLI::Option *option) {
    return option->group("Inspection");
  };
  grouped(command
              .add_option("--tap", options.rules,
                          "Tensors to watch: FILTER [@ SCHEDULE] [-> PAYLOAD], "
                          "such as 'kind:gradient @ every 10 -> shape'; "
                          "popscope taps lists what a rule finds")
              ->type_name("RULE"));
  grouped(command.add_flag("--watch", options.watch,
                           "Show a live table of the tapped tensors"));
  grouped(command
              .add_option("--inspect-json", options.json,
                          "Write every sample as a line of JSON; - is the "
                          "standard output, and all else goes to the standard "
                          "error stream")
              ->type_name("FILE"));
  grouped(
      command.add_flag("--keep-apart", options.keepApart,
                       "Micro-batches and replicas of an update as points of "
                       "their own"));
  grouped(command.add_flag("--drop-frames", options.dropFrames,
                           "Rather lose samples than slow the training down"));
}

} // namespace popscope::host
