#include "host/train_command.hpp"

#include "host/train_options.hpp"
#include "host/training_run.hpp"

#include <iostream>
#include <memory>

namespace popscope::host {

void addTrainCommand(CLI::App &app, Command &chosen,
                     const std::vector<std::string> &commandLine) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App *command =
      app.add_subcommand("train", "Train a model and log what happens");
  addTrainOptions(*command, *options);
  command->footer(
      "What a preset decides can be changed by the options above.\n\n"
      "Examples:\n"
      "  popscope train --preset cnn\n"
      "  popscope train --preset mlp --epochs 5 --pipeline-stages 1\n"
      "  popscope train --preset fashion --data data/full/fashion-mnist\n"
      "  popscope train --preset cnn --run night --epochs 100 --resume");
  command->callback([options, commandLine, &chosen] {
    chosen = [options, commandLine] {
      return runTraining(*options, commandLine, std::cout);
    };
  });
}

} // namespace popscope::host
