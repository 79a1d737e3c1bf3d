// A training that a user wrote as JSON, instead of a preset.
// docs/model_files.md describes the format.
#pragma once

#include "host/plan/presets/presets.hpp"

#include <string>
#include <string_view>

namespace popscope::host {

// The training of a model file, as presetJson() writes it. Throws
// std::invalid_argument that names the layer, the key and what would work.
Preset parseModel(std::string_view json);

// The same of the file; BadInput names it.
Preset readModel(const std::string &file);
// The same of the content that `file` had.
Preset readModel(const std::string &file, const std::string &content);

} // namespace popscope::host
