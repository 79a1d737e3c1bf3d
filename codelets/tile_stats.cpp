// One row for the elements that lie on a tile, or a worker's share of them.
#include "codelets/tile_summary.hpp"

#include <poplar/Vertex.hpp>

namespace popscope {

template <typename T, StatsTier tier> class TileStats : public poplar::Vertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<T>>> regions;
  poplar::Vector<unsigned> firstIndex; // of each region, in the tensor
  poplar::Output<poplar::Vector<unsigned>> row;

  bool compute() {
    if (tier == StatsTier::alarm && isOrdinary())
      return true;
    TileSummary<T, tier> summary;
    for (unsigned r = 0; r < regions.size(); ++r)
      if (regions[r].size() != 0)
        summary.add(&regions[r][0], regions[r].size(), firstIndex[r]);
    storeRow(&row[0], summary.finish(), tier);
    return true;
  }

private:
  // Writes the row if all elements are finite and less than the largest of the
  // format, as they nearly always are.
  bool isOrdinary() {
    LargestMagnitude<T> largest;
    for (unsigned r = 0; r < regions.size(); ++r)
      if (regions[r].size() != 0)
        largest.add(&regions[r][0], regions[r].size());
    const unsigned magnitude = largest.bits();
    StatsRow all = emptyRow(tier);
    all.absMax = floatOf(magnitude);
    storeRow(&row[0], all, tier);
    return magnitude < ElementFormat<T>::kLargest;
  }
};

template class TileStats<float, StatsTier::alarm>;
template class TileStats<float, StatsTier::stats>;
template class TileStats<float, StatsTier::shape>;
template class TileStats<float, StatsTier::identity>;
template class TileStats<half, StatsTier::alarm>;
template class TileStats<half, StatsTier::stats>;
template class TileStats<half, StatsTier::shape>;
template class TileStats<half, StatsTier::identity>;
template class TileStats<int, StatsTier::alarm>;
template class TileStats<int, StatsTier::stats>;
template class TileStats<int, StatsTier::shape>;
template class TileStats<int, StatsTier::identity>;
template class TileStats<unsigned, StatsTier::alarm>;
template class TileStats<unsigned, StatsTier::stats>;
template class TileStats<unsigned, StatsTier::shape>;
template class TileStats<unsigned, StatsTier::identity>;

} // namespace popscope
