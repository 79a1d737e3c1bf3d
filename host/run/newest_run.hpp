// The run that was written last.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace popscope::host {

struct NewestRun {
  std::filesystem::path path;
  std::size_t runs = 0; // in the log directory, itself included
};

// Among the directories in `logs` that have event files at or below them, the
// one whose event files changed last; `logs` itself if that is a run. Nothing
// if there are none. Throws std::system_error if it cannot be read.
std::optional<NewestRun> newestRun(const std::filesystem::path &logs);

} // namespace popscope::host
