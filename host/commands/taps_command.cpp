#include "graph/codelets.hpp"
#include "host/commands/subcommands.hpp"
#include "host/commands/taps_listing.hpp"
#include "host/commands/train_options_parser.hpp"
#include "host/plan/option_combinations.hpp"
#include "host/plan/options/device.hpp"
#include "host/plan/training_plan.hpp"
#include "host/terminal/help_formatter.hpp"
#include "host/terminal/problem.hpp"
#include "host/terminal/typed_options.hpp"
#include "host/train/watch/inspection.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::host {

namespace {

struct TapsOptions {
  TrainOptions train;
  std::vector<std::string> rules;    // besides those of --tap
  std::optional<unsigned> instances; // of the replicas
  bool json = false;
  std::vector<std::string> ignored; // options given that change nothing here
};

// Those of popscope train that the list does not depend on.
std::vector<CLI::Option *> optionsWithoutEffect(CLI::App &command) {
  const std::set<std::string> effective = {"rules",
                                           "--help",
                                           "--json",
                                           "--instances",
                                           "--preset",
                                           "--model",
                                           "--epochs",
                                           "--steps-per-epoch",
                                           "--tap",
                                           "--batch-size",
                                           "--gradient-accumulation",
                                           "--data",
                                           "--optimizer",
                                           "--pipeline-stages",
                                           "--tiles",
                                           "--precision",
                                           "--replicas",
                                           "--merge-replicas",
                                           "--recorder",
                                           "--no-health"};
  return command.get_options([&](const CLI::Option *option) {
    return effective.count(option->get_name()) == 0 &&
           option->get_group() != "Preset mlp";
  });
}

void print(const TapsListing &listing, const TapsOptions &options,
           std::ostream &out) {
  if (options.json)
    printJson(listing, out);
  else if (text::layoutOfStdout() == text::Layout::aligned)
    printForTerminal(listing, out, text::sizeOfTerminal().columns);
  else
    printForPipe(listing, out);
}

void checkInstances(const TapsOptions &taps) {
  const unsigned replicas = taps.train.replicas;
  if (taps.instances && replicas % *taps.instances != 0)
    throw BadInput("--instances " + std::to_string(*taps.instances) +
                   ": instances have the same number of replicas, and "
                   "--replicas " +
                   std::to_string(replicas) + " cannot be divided so");
}

// A session that has visited the graph of the training.
std::unique_ptr<outfeed::TapSession> visitedBy(const Preset &preset,
                                               const TrainOptions &options,
                                               const TrainingPlan &training) {
  auto session = std::make_unique<outfeed::TapSession>(
      inspectionRules(preset, options), tapOptions(options, training));
  const poplar::Device device =
      openDevice(DeviceChoice::model, {training.ipus(), options.tiles});
  poplar::Graph graph(device.getTarget(),
                      poplar::replication_factor(training.replicas));
  graph::addCodelets(graph);
  try {
    graph::buildTrainingGraph(graph, training.spec, session.get());
    session->plan().requireMatches();
  } catch (const std::invalid_argument &error) {
    throw BadInput(withoutRoom(error.what()));
  }
  return session;
}

int listTaps(const TapsOptions &taps, std::ostream &out) {
  checkInstances(taps);
  checkMergedReplicas(taps.train);
  for (const std::string &name : taps.ignored)
    printProblem(name + " changes nothing here: popscope taps does not train");
  TrainOptions options = taps.train;
  options.inspection.rules.insert(options.inspection.rules.end(),
                                  taps.rules.begin(), taps.rules.end());
  const Preset preset = choosePreset(options);
  for (const std::string &line : ineffectiveTutorialOptions(options))
    printProblem(line);
  // A data set for so many replicas need not be at hand to foresee what they
  // send.
  if (taps.instances)
    options.replicas = 1;
  TrainingPlan training =
      planTraining(preset, options, readData(preset, options));
  training.replicas = taps.train.replicas;
  if (options.inspection.rules.empty() && preset.inspection.taps.empty())
    options.inspection.rules.push_back("*");
  const auto session = visitedBy(preset, options, training);
  std::unique_ptr<outfeed::TapSession> otherwise;
  if (training.replicas > 1) {
    options.inspection.keepApart = false;
    options.inspection.mergeReplicas = !options.inspection.mergeReplicas;
    otherwise = visitedBy(preset, options, training);
  }
  const auto updates =
      std::uint32_t(std::uint64_t(training.epochs) * training.batchesPerEpoch /
                    training.spec.accumulation);
  for (const std::string &line : unmatchedTaps(preset, session->plan()))
    printProblem(line);
  for (const std::string &line : session->plan().neverDue(updates))
    printProblem(line);
  print(listingOf(*session, training, taps.instances, otherwise.get()), taps,
        out);
  return exitOk;
}

} // namespace

void addTapsCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<TapsOptions>();
  CLI::App *command = app.add_subcommand(
      "taps", "List the tensors that rules find in a training, and what "
              "tapping them costs; nothing is trained");
  addWords(*command, "rules", options->rules, "RULE",
           "As those of popscope train --tap (default: every tensor; for "
           "preset mlp, those its own options choose)")
      ->allow_extra_args(); // a positional takes one word without it
  command->add_flag("--json", options->json,
                    "Print JSON, whether to a terminal or a pipe");
  addCount(*command, "--instances", options->instances,
           "Also what reaches the hosts if --replicas are divided among so "
           "many instances");
  addTrainOptions(*command, options->train);
  const std::vector<CLI::Option *> ignored = optionsWithoutEffect(*command);
  for (CLI::Option *option : ignored)
    option->group(kHiddenGroup);
  command->footer(
      "Any other option of popscope train is accepted, but changes nothing "
      "here.\nIn a pipe, cells are separated by tabs and the last line has the "
      "totals.\n\n"
      "Rules are FILTER [@ SCHEDULE] [when CONDITION] [-> PAYLOAD [for "
      "UPDATES]];\ndocs/inspecting.md has all of it.\n\n"
      "Examples:\n"
      "  popscope taps --preset cnn\n"
      "  popscope taps --preset cnn 'conv_[01]_acts' 'kind:weight -> alarm'\n"
      "  popscope taps --preset cnn 'kind:gradient & numel>4096 @ every 10 -> "
      "shape'\n"
      "  popscope taps --preset cnn 'conv_*_acts when abs_max>1e4 -> full'\n"
      "  popscope taps --preset cnn --instances 64 --replicas 256\n"
      "  popscope taps --preset cnn 'not (name~bias or at:microBatch)' --json");
  command->callback([options, ignored, &chosen] {
    for (const CLI::Option *option : ignored)
      if (option->count() > 0)
        options->ignored.push_back(option->get_name());
    chosen = [options] { return listTaps(*options, std::cout); };
  });
}

} // namespace popscope::host
