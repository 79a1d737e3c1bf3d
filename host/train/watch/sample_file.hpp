// The file of --inspect-json: whether it may be written.
#pragma once

#include "host/plan/options/train_options.hpp"

#include <filesystem>

namespace popscope::host {

// Places that the samples of a run must not overwrite.
struct ProtectedPlaces {
  std::filesystem::path data; // the directory of the data set
  std::filesystem::path run;  // need not exist; empty if it will be new
};

// Throws BadInput if the file of --inspect-json is an input or a file of the
// run, if it cannot be written to, or if it exists and neither --force nor
// --resume is given. Creates nothing.
void checkSampleFile(const TrainOptions &options,
                     const ProtectedPlaces &places);

} // namespace popscope::host
