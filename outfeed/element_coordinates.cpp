#include "outfeed/element_coordinates.hpp"

#include <algorithm>

namespace popscope::outfeed {

std::vector<std::size_t> coordinatesOf(std::uint64_t index,
                                       const std::vector<std::size_t> &shape) {
  std::vector<std::size_t> coordinates(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::uint64_t size = std::max<std::size_t>(1, shape[d]);
    coordinates[d] = std::size_t(index % size);
    index /= size;
  }
  return coordinates;
}

std::string coordinatesText(std::uint64_t index,
                            const std::vector<std::size_t> &shape) {
  std::string text = "[";
  for (const std::size_t coordinate : coordinatesOf(index, shape))
    text += (text.size() > 1 ? "," : "") + std::to_string(coordinate);
  return text + "]";
}

} // namespace popscope::outfeed
