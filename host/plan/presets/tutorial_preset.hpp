// Preset mlp: Graphcore's tutorial on inspecting tensors.
#pragma once

#include "host/plan/options/tutorial_options.hpp"
#include "host/plan/presets/presets.hpp"

namespace popscope::host {

// Changes the numbers, the model and the taps of `preset` to what the tutorial
// has with these options. Throws BadInput for options that contradict another.
void makeTutorial(Preset &preset, const TutorialOptions &options);

} // namespace popscope::host
