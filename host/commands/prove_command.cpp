#include "host/commands/subcommands.hpp"
#include "host/commands/train_options_parser.hpp"
#include "host/train/proof.hpp"

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <memory>

namespace popscope::host {

namespace {

// 1 is a disproof, so that no failure may have it.
int proveOrRefuse(const TrainOptions &options,
                  const std::vector<std::string> &commandLine) {
  try {
    return proveTraining(options, commandLine,
                         options.inspection.jsonToStdout() ? std::cerr
                                                           : std::cout);
  } catch (const std::exception &error) {
    throw BadInput(withoutRoom(error.what()));
  }
}

} // namespace

void addProveCommand(CLI::App &app, Command &chosen,
                     const std::vector<std::string> &commandLine) {
  const auto options = std::make_shared<TrainOptions>();
  options->logdir.clear(); // a temporary place
  CLI::App *command = app.add_subcommand(
      "prove", "Train with and without taps, and show that the weights have "
               "the same bits");
  addTrainOptions(*command, *options);
  command->footer(
      "Options are those of popscope train. Without --tap every tensor is "
      "tapped, with\nthe payload identity. The logs of both trainings are "
      "deleted, unless --logdir\nnames a place for them.\n\n"
      "The exit code is 0 if all bits are the same, 1 if some differ, 2 if "
      "it cannot be\ntold.\n\n"
      "Example:\n"
      "  popscope prove --preset cnn --epochs 1 --steps-per-epoch 16");
  command->callback([options, commandLine, &chosen] {
    chosen = [options, commandLine] {
      return proveOrRefuse(*options, commandLine);
    };
  });
}

} // namespace popscope::host
