// popscope.json of a run, read.
#pragma once

#include "text/json_value.hpp"

#include <filesystem>
#include <string>

namespace popscope::host {

// These throw BadInput if `run` is not the directory of a run.
text::JsonValue readManifest(const std::filesystem::path &run);
// As it stands in the file.
std::string readManifestText(const std::filesystem::path &run);

} // namespace popscope::host
