// Says when a tensor is not finite for the first time.
#include "codelets/stats_row.hpp"

#include <poplar/Vertex.hpp>

namespace popscope {

class FirstBad : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> rows; // of the tensor's parts
  poplar::Input<unsigned> done;                 // not 0: it was bad before
  poplar::Output<unsigned> isBad;               // 0 or 1
  unsigned rowWords;
  bool infinitiesCount;

  bool compute() {
    unsigned bad = 0;
    for (unsigned w = 0; w < rows.size(); w += rowWords) {
      bad |= rows[w]; // the first words of a StatsRow: nan, posInf, negInf
      if (infinitiesCount)
        bad |= rows[w + 1] | rows[w + 2];
    }
    *isBad = bad != 0 && *done == 0;
    return true;
  }
};

} // namespace popscope
