// A file that is replaced as a whole.
#pragma once

#include <filesystem>
#include <string_view>

namespace popscope::host {

// Written aside as <file>.new, handed to the storage device, and then given its
// name: a kill or a loss of power at any moment leaves the old content or the
// new one under that name. Throws std::system_error; then the old content is
// still there, and nothing else.
void replaceFile(const std::filesystem::path &file, std::string_view content);

} // namespace popscope::host
