#include "host/commands/train_command.hpp"

#include "host/train/train_options.hpp"
#include "host/train/training_run.hpp"

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
      "Presets; what they decide can be changed by the options above:\n"
      "  cnn      three convolutions in two pipeline stages, RMSprop, MNIST\n"
      "  mlp      dense layers in two pipeline stages, SGD, MNIST, tables\n"
      "  gmp-cnn  two convolutions, global max pooling, Adam, MNIST, a "
      "schedule\n"
      "  fashion  one hidden layer, Adam, Fashion-MNIST, a confusion matrix\n"
      "  digits   two layers of SELU, full-batch SGD, 8x8 digits, test "
      "sheets\n\n"
      "Examples:\n"
      "  popscope train --preset cnn\n"
      "  popscope train --preset mlp --epochs 5 --pipeline-stages 1\n"
      "  popscope train --preset fashion --data data/full/fashion-mnist\n"
      "  popscope train --preset cnn --run night --epochs 100 --resume");
  command->callback([options, commandLine, &chosen] {
    chosen = [options, commandLine] {
      return runTraining(*options, commandLine,
                         options->inspection.jsonToStdout() ? std::cerr
                                                            : std::cout);
    };
  });
}

} // namespace popscope::host
