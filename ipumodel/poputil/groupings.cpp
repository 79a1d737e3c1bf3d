// Dimensions with groups of elements that are contiguous in memory.
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>

namespace poputil {

using poplar::Graph;
using poplar::Tensor;

unsigned detectInnermostGrouping(const Graph &graph, const Tensor &t) {
  if (t.rank() == 0)
    throw poplibs_error("Cannot detect a grouping in a tensor of rank 0");
  if (t.numElements() == 0)
    return 1;
  Tensor row = t;
  while (row.rank() > 1)
    row = row[0];

  const auto inMemory = row.getContiguousRegions().front().size();
  std::size_t onTile = 0;
  for (const auto &intervals : graph.getTileMapping(row))
    for (const poplar::Interval &interval : intervals)
      onTile = std::max(onTile, interval.size());
  const auto grouping = std::gcd(inMemory, onTile);
  return row.numElements() % grouping == 0 ? grouping : 1;
}

std::vector<GroupingInfo> detectDimGroupings(const Graph &graph,
                                             const Tensor &t) {
  if (t.rank() == 0)
    throw poplibs_error("Cannot detect a grouping in a tensor of rank 0");
  const auto rank = t.rank();
  std::vector<GroupingInfo> found;
  // Groups found so far are split from their dimensions and moved after all
  // others, the innermost last.
  Tensor rest = t;
  std::size_t inner = 1;
  while (true) {
    GroupingInfo best(0, 1);
    for (unsigned d = 0; d < rank; ++d) {
      if (rest.dim(d) == 1)
        continue;
      const auto together = detectInnermostGrouping(
          graph, rest.dimRoll(d, rank - 1).flatten(rank - 1, rest.rank()));
      const auto grouping = std::gcd<std::size_t>(
          together % inner == 0 ? together / inner : 1, rest.dim(d));
      if (grouping > best.second)
        best = GroupingInfo(d, grouping);
    }
    if (best.second == 1)
      return found;
    found.push_back(best);
    inner *= best.second;
    const auto size = rest.dim(best.first);
    rest = rest.reshapePartial(best.first, best.first + 1,
                               {size / best.second, best.second})
               .dimRoll(best.first + 1, rank);
  }
}

} // namespace poputil
