// A preset as JSON: its model, loss, optimiser and settings.
#pragma once

#include "host/plan/presets.hpp"

#include <string>

namespace popscope::host {

// A document of several lines, a layer in each, without a newline at the end;
// `indent` is put in front of all lines but the first. Settings have the names
// of the options of popscope train that change them; one that is null is what
// docs/commands.md says.
std::string presetJson(const Preset &preset, const std::string &indent = "");

} // namespace popscope::host
