// Options that contradict each other, or that do nothing without another.
#pragma once

#include "host/plan/options/train_options.hpp"
#include "host/plan/presets/presets.hpp"

#include <string>
#include <vector>

namespace popscope::host {

// Throws BadInput that names both options. Looks at no numbers: planTraining
// does.
void checkCombinations(const TrainOptions &options, const Preset &preset);
// Only whether --merge-replicas makes sense.
void checkMergedReplicas(const TrainOptions &options);

// A line for each option of preset mlp that changes nothing beside the others.
// These are not refused: the tutorial takes them too.
std::vector<std::string>
ineffectiveTutorialOptions(const TrainOptions &options);

} // namespace popscope::host
