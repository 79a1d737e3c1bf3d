// Directories that no command may empty.
#pragma once

#include <filesystem>

namespace popscope::host {

// Whether the directory, which exists, is the home of the user, by $HOME or by
// the system's list of users, or one above it, up to the root.
bool holdsHome(const std::filesystem::path &directory);

} // namespace popscope::host
