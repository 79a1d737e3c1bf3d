// How many points of a log TensorBoard would show.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace popscope::host::events {

// The longest series of a kind.
struct LongestSeries {
  std::string run;
  std::string tag;
  std::uint64_t values = 0;
};

// By kind: scalars, images and so on. Throws BadInput if the directory cannot
// be read; files that cannot be read count as empty.
std::map<std::string, LongestSeries>
longestSeries(const std::filesystem::path &directory);

// The value of TensorBoard's option --samples_per_plugin by which it keeps
// every point, with room for a log that is still being written.
std::string samplesToKeep(const std::map<std::string, LongestSeries> &longest);

// One sentence per kind of which TensorBoard would hide points without that
// option.
std::vector<std::string>
hiddenPoints(const std::map<std::string, LongestSeries> &longest);

} // namespace popscope::host::events
