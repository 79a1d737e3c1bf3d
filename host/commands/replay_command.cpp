#include "host/commands/recorded_options.hpp"
#include "host/commands/subcommands.hpp"
#include "host/record/health_record.hpp"
#include "host/run/manifest_file.hpp"
#include "host/terminal/typed_options.hpp"
#include "host/train/replay.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

namespace popscope::host {

namespace {

struct ReplayOptions {
  std::string run;
  std::uint32_t update = 0;
  std::optional<std::uint32_t> to;
  std::optional<DeviceChoice> device;
  std::vector<std::string> rules;
  std::string json;
  bool keepApart = false, clean = false, quiet = false, force = false;
};

int replay(const ReplayOptions &options,
           const std::vector<std::string> &commandLine) {
  const std::filesystem::path run =
      std::filesystem::absolute(options.run).lexically_normal() / "";
  const std::filesystem::path directory = run.parent_path();
  TrainOptions train = recordedOptions(directory);
  const std::uint32_t last = options.to.value_or(options.update);
  if (last < options.update)
    throw BadInput("--to " + std::to_string(last) + " is before --update " +
                   std::to_string(options.update));
  train.logdir = placeOfRun(options.run).logdir;
  train.run = directory.filename().string() + "-replay-" +
              std::to_string(options.update);
  train.resume = false;
  train.resumedRun.clear();
  train.clean = options.clean;
  train.quiet = options.quiet;
  train.force = options.force;
  train.noInspection = false;
  if (options.device)
    train.device = *options.device;
  const std::vector<std::string> faults = train.inspection.faults;
  train.inspection = {};
  train.inspection.faults = faults; // they are part of what happened
  for (const outfeed::Intervention &intervention :
       recordedInterventions(readManifest(directory)))
    train.inspection.interventions.push_back(
        "name:\"" + intervention.tensor +
        "\" & at:" + outfeed::nameOf(intervention.moment));
  train.inspection.rules = options.rules;
  if (train.inspection.rules.empty())
    train.inspection.rules = {"* -> identity"};
  train.inspection.span =
      UpdateSpan{outfeed::Update(options.update), outfeed::Update(last)};
  train.inspection.json = options.json;
  train.inspection.keepApart = options.keepApart;
  train.inspection.watch = !options.quiet; // its table, at the end
  return runReplay(train, directory, commandLine,
                   train.inspection.jsonToStdout() ? std::cerr : std::cout);
}

} // namespace

void addReplayCommand(CLI::App &app, Command &chosen,
                      const std::vector<std::string> &commandLine) {
  const auto options = std::make_shared<ReplayOptions>();
  CLI::App *command = app.add_subcommand(
      "replay", "Run updates of a training again, with every tap on");
  command->add_option("run", options->run, "The directory of a run")
      ->required()
      ->type_name("RUN");
  addNumber(*command, "--update", options->update, 0,
            "The update to run again, counted from 0")
      ->required()
      ->default_str("");
  addNumber(*command, "--to", options->to, 0,
            "The last update, if more than one");
  addWords(*command, "--tap", options->rules, "RULE",
           "Tensors to watch in these updates, as in popscope train (default: "
           "'* -> identity', which is everything but the elements)");
  command
      ->add_option("--inspect-json", options->json,
                   "Write every sample as a line of JSON; - is standard "
                   "output")
      ->type_name("FILE");
  command->add_flag("--keep-apart", options->keepApart,
                    "Write a sample for each micro-batch and replica instead "
                    "of one for each update");
  addChoice<DeviceChoice>(*command, "--device", options->device,
                          {{"auto", DeviceChoice::automatic},
                           {"ipu", DeviceChoice::ipu},
                           {"model", DeviceChoice::model}},
                          "model: on the CPU, wherever the run was "
                          "(default: as the run)");
  command->add_flag("--clean", options->clean,
                    "Delete an earlier replay of this update first");
  command->add_flag("--force", options->force,
                    "Overwrite the file of --inspect-json if it exists");
  command->add_flag("--quiet", options->quiet, "Print only problems");
  command->footer(
      "The options of the run come from its popscope.json, its weights from "
      "the nearest\ncheckpoint before the update, or else from its seed. The "
      "tensors have the bits\nthat they had in the run; what popscope control "
      "changed is changed again. The\nlog goes beside the run, as "
      "RUN-replay-UPDATE.\n\n"
      "Examples:\n"
      "  popscope replay logs/night --update 137\n"
      "  popscope replay logs/night --update 130 --to 137 --tap "
      "'conv_1_acts -> full'");
  command->callback([options, commandLine, &chosen] {
    chosen = [options, commandLine] { return replay(*options, commandLine); };
  });
}

} // namespace popscope::host
