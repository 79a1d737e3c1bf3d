// What a tag of a tapped tensor says: GROUP/TENSOR/STATISTIC.
#pragma once

#include <optional>
#include <string_view>

namespace popscope::host {

struct TapTag {
  std::string_view group; // tapped_gradients and so on
  std::string_view tensor;
  std::string_view statistic; // or histogram
  std::string_view base;      // GROUP/TENSOR
};

// Empty for the tag of anything else. The parts point into `tag`.
inline std::optional<TapTag> parseTapTag(std::string_view tag) {
  constexpr std::string_view kGroups = "tapped_";
  const std::size_t first = tag.find('/'), last = tag.rfind('/');
  if (tag.substr(0, kGroups.size()) != kGroups || last == tag.npos ||
      last <= first + 1)
    return std::nullopt;
  return TapTag{tag.substr(0, first), tag.substr(first + 1, last - first - 1),
                tag.substr(last + 1), tag.substr(0, last)};
}

} // namespace popscope::host
