// Lists of intervals.
#include <poputil/Util.hpp>

#include <numeric>

namespace poputil {

using poplar::Interval;

void mergeAdjacentRegions(std::vector<Interval> &regions) {
  std::sort(regions.begin(), regions.end());
  std::vector<Interval> merged;
  for (const Interval &region : regions) {
    if (region.size() == 0)
      continue;
    assert((merged.empty() || merged.back().end() <= region.begin()) &&
           "regions do not overlap");
    if (!merged.empty() && merged.back().end() == region.begin())
      merged.back() = Interval(merged.back().begin(), region.end());
    else
      merged.push_back(region);
  }
  regions = std::move(merged);
}

void mergeAdjacentRegions(std::vector<std::vector<Interval>> &mapping) {
  for (std::vector<Interval> &regions : mapping)
    mergeAdjacentRegions(regions);
}

std::vector<Interval>
flattenIntervals(const std::vector<std::vector<Interval>> &intervals) {
  std::vector<Interval> flat;
  for (const std::vector<Interval> &list : intervals)
    flat.insert(flat.end(), list.begin(), list.end());
  return flat;
}

std::size_t
intervalSequenceNumElements(const std::vector<std::vector<Interval>> &seq) {
  std::size_t elements = 0;
  for (const std::vector<Interval> &list : seq)
    for (const Interval &interval : list)
      elements += interval.size();
  return elements;
}

std::vector<Interval>
calculateUnshufflingIntervals(const std::vector<Interval> &intervals) {
  // The position of each interval in the shuffled tensor, sorted by their order
  // in the original.
  std::vector<std::pair<std::size_t, Interval>> originAndPlace;
  std::size_t place = 0;
  for (const Interval &interval : intervals) {
    originAndPlace.emplace_back(interval.begin(),
                                Interval(place, place + interval.size()));
    place += interval.size();
  }
  std::sort(originAndPlace.begin(), originAndPlace.end());
  std::vector<Interval> places;
  places.reserve(originAndPlace.size());
  for (const auto &entry : originAndPlace)
    places.push_back(entry.second);
  return places;
}

} // namespace poputil
