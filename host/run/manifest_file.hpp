// popscope.json of a run, read.
#pragma once

#include "text/json_value.hpp"

#include <filesystem>

namespace popscope::host {

// Throws BadInput if `run` is not the directory of a run.
text::JsonValue readManifest(const std::filesystem::path &run);

} // namespace popscope::host
