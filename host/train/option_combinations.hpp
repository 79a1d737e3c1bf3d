// Options that contradict each other, or that do nothing without another.
#pragma once

#include "host/train/presets.hpp"
#include "host/train/train_options.hpp"

namespace popscope::host {

// Throws BadInput that names both options. Looks at no numbers: planTraining
// does.
void checkCombinations(const TrainOptions &options, const Preset &preset);

} // namespace popscope::host
