#include "outfeed/health/point_graph.hpp"

#include <algorithm>
#include <unordered_map>

namespace popscope::outfeed {

PointGraph::PointGraph(const std::vector<TensorTraits> &points)
    : points_(points), inputs_(points.size()) {
  // The last of each name, in the whole program and before the point.
  std::unordered_map<std::string, std::size_t> last, before;
  for (std::size_t i = 0; i < points.size(); ++i)
    last[points[i].name] = i;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::vector<std::string> &names = points[i].derivation.inputs;
    for (std::size_t number = 0; number < names.size(); ++number) {
      const auto earlier = before.find(names[number]);
      const auto any = last.find(names[number]);
      if (earlier != before.end())
        inputs_[i].push_back({earlier->second, false, number});
      else if (any != last.end())
        inputs_[i].push_back({any->second, true, number});
    }
    before[points[i].name] = i;
  }
}

std::size_t PointGraph::find(const TensorTraits &tensor) const {
  const auto found = std::find_if(
      points_.begin(), points_.end(), [&](const TensorTraits &point) {
        return point.moment == tensor.moment && point.name == tensor.name;
      });
  return std::size_t(found - points_.begin());
}

} // namespace popscope::outfeed
