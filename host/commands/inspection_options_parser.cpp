#include "host/commands/inspection_options_parser.hpp"

#include "host/plan/options/dump_budget.hpp"
#include "host/plan/options/time_budget.hpp"
#include "host/terminal/typed_options.hpp"

#include <CLI/CLI.hpp>

namespace popscope::host {

namespace {

// The ring of one tensor has to fit on a tile.
constexpr unsigned kMostRecorded = 1024;

} // namespace

void addInspectionOptions(CLI::App &command, InspectionOptions &options) {
  const auto grouped = [](CLI::Option *option) {
    return option->group("Inspection");
  };
  grouped(addWords(command, "--tap", options.rules, "RULE",
                   "Tensors to watch: FILTER [@ SCHEDULE] [when CONDITION] [-> "
                   "PAYLOAD [for UPDATES]], such as 'kind:gradient @ every 10 "
                   "-> shape' or 'conv_*_acts when abs_max>1e4 -> full'; "
                   "schedules count updates; popscope taps lists what a rule "
                   "finds"));
  grouped(command.add_flag("--watch", options.watch,
                           "Show a live table of the tapped tensors"));
  grouped(command
              .add_option("--inspect-json", options.json,
                          "Write every sample as a line of JSON; - is standard "
                          "output, and everything else then goes to standard "
                          "error")
              ->type_name("FILE"));
  grouped(command.add_flag("--debugger", options.debugger,
                           "Write the health of all tensors for TensorBoard's "
                           "page Debugger V2"));
  grouped(command.add_flag("--keep-apart", options.keepApart,
                           "Write a sample for each micro-batch and replica "
                           "instead of one for each update"));
  grouped(command.add_flag("--merge-replicas", options.mergeReplicas,
                           "Merge the statistics of all replicas on the "
                           "device: no more of them reach the host than from "
                           "one. Alarms, conditions, identity and full stay of "
                           "each replica"));
  grouped(command.add_flag("--drop-frames", options.dropFrames,
                           "When the host is behind, lose samples instead of "
                           "slowing the training down"));
  grouped(command
              .add_option("--checks,--rules", options.checks,
                          "Look for dead layers, spikes and the like: a file "
                          "of checks, or the word default for all of them; "
                          "docs/checks.md has the list. What they need is "
                          "tapped")
              ->type_name("FILE|default"));
  constexpr unsigned kRecorderUpdates = 16;
  grouped(
      command
          .add_option_function<std::string>(
              "--recorder",
              [&options](const std::string &updates) {
                options.recorderUpdates = unsigned(
                    parseUnsigned("--recorder", updates, 1, kMostRecorded));
              },
              "Flight recorder: keep the statistics of the last updates on the "
              "device and write them when a condition of --tap holds, when a "
              "tensor is not finite and at the end")
          ->expected(0, 1)
          ->default_str(std::to_string(kRecorderUpdates))
          ->type_name("UPDATES"));
  grouped(command
              .add_option_function<std::string>(
                  "--budget",
                  [&options](const std::string &text) {
                    options.budget = parseTimeBudget(text);
                  },
                  "What sampling by rules may cost, in percent of the "
                  "training's time, such as 2%: rules are timed while it "
                  "runs, and due less often until they fit. Conditions, "
                  "checks and health are never thinned")
              ->type_name("PERCENT"));
  grouped(command.add_flag("--no-health", options.noHealth,
                           "Do not watch whether every tensor is finite"));
  grouped(command.add_flag("--no-control", options.noControl,
                           "Compile taps in so that popscope control cannot "
                           "turn them on and off, which takes less memory of "
                           "the device"));
  grouped(
      addChoice<OnAlarm>(
          command, "--on-alarm", options.onAlarm,
          {{"warn", OnAlarm::warn},
           {"dump", OnAlarm::dump},
           {"stop", OnAlarm::stop}},
          "If an element is not finite: say so and train on; besides, write "
          "the tensor and what it was computed from as .npy; or stop with "
          "exit code 3 and keep the last checkpoint from before: after that "
          "update, or with --steps-per-execution after the execution that it "
          "is in"))
      ->default_str("warn");
  grouped(command
              .add_option_function<std::string>(
                  "--dump-budget",
                  [&options](const std::string &text) {
                    options.dumpBudget = parseDumpBudget(text);
                  },
                  "How much --on-alarm dump may write: bytes, or KB, MB or GB, "
                  "and files")
              ->type_name("SIZE[,FILES]")
              ->default_str("256MB,16"));
  grouped(addWords(command, "--infinities-intended", options.infinitiesIntended,
                   "FILTER", "Tensors in which infinities are no fault"));
  grouped(addWords(command, "--inject", options.faults, "FAULT",
                   "Spoil a tensor, for practice: WHAT:TENSOR@update=U, where "
                   "WHAT is nan, inf, -inf, flip or scale, such as "
                   "nan:loss@update=5; docs/inspecting.md has all of it"));
  grouped(addWords(command, "--allow-intervention", options.interventions,
                   "FILTER",
                   "Tensors that popscope control may set to 0, scale or give "
                   "noise while the training runs"));
}

} // namespace popscope::host
