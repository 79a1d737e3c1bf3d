// Files of text that are read as a whole.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace popscope::host {

// Many times what a run or a person writes.
constexpr std::size_t kMostTextBytes = std::size_t(1) << 26;

// Nothing if the file cannot be read. Throws BadInput, naming the file, if it
// has more than kMostTextBytes, of which no more are read.
std::optional<std::string> readText(const std::filesystem::path &file);

} // namespace popscope::host
