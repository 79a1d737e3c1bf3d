// A preset as JSON, in the form of a model file.
#pragma once

#include "host/plan/presets/presets.hpp"

#include <string>

namespace popscope::host {

// A document of several lines, a layer in each, without a newline at the end;
// `indent` is put in front of all lines but the first. Settings have the names
// of the options of popscope train that change them; one that is null is what
// docs/model_files.md says.
std::string presetJson(const Preset &preset, const std::string &indent = "");

// What of a model file the trained weights and the metrics depend on besides
// settings, on one line.
std::string modelJson(const Preset &preset);

} // namespace popscope::host
