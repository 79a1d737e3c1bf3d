// Merges several rows of one tier into one, in their order.
#include "codelets/row_merge.hpp"

#include <poplar/Vertex.hpp>

namespace popscope {

template <StatsTier tier> class MergeRows : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> rows; // one after the other
  poplar::Output<poplar::Vector<unsigned>> merged;

  bool compute() {
    StatsRow all = emptyRow(tier);
    for (unsigned i = 0; i < rows.size(); i += rowWords(tier))
      if (tier == StatsTier::alarm) // need not clear what they do not have
        mergeAlarms(all, loadRow(&rows[i], tier));
      else
        mergeRow(all, loadRow(&rows[i], tier), tier);
    storeRow(&merged[0], all, tier);
    return true;
  }
};

template class MergeRows<StatsTier::alarm>;
template class MergeRows<StatsTier::stats>;
template class MergeRows<StatsTier::shape>;
template class MergeRows<StatsTier::identity>;

} // namespace popscope
