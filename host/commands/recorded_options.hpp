// The options of a training, as popscope.json of its run has them.
#pragma once

#include "host/plan/options/train_options.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace popscope::host {

// A directory of a run, as a log directory and a name in it.
struct RunPlace {
  std::string logdir, run;
};
RunPlace placeOfRun(const std::string &directory);

// What popscope train was asked for when it began or resumed the run, with the
// learning rates that it had and the content of its model file. Throws BadInput
// if `run` is not the directory of a training.
TrainOptions recordedOptions(const std::filesystem::path &run);

// A training that goes on with the options of its run.
struct ResumedTraining {
  TrainOptions options;
  std::vector<std::string> commandLine; // that asks for all of them
};

// The options of the run options.resumedRun, and over them those of
// `commandLine`, which begins with the program and its subcommand. Throws
// BadInput for one that a resumed training cannot have.
ResumedTraining resumedTraining(const TrainOptions &options,
                                const std::vector<std::string> &commandLine);

} // namespace popscope::host
