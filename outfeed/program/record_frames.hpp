// A frame of rows on its way to the host: those of one device, or merged over
// all replicas.
#pragma once

#include "graph/taps/device_stats.hpp"
#include "outfeed/program/tap_stream.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popscope::outfeed {

// A row, as far as the tap sends it.
struct FrameRow {
  TapId tap;
  StatsTier tier;
  poplar::Tensor words; // UNSIGNED_INT [rowWords(tier)]
  graph::ElementOrder order;
};

// Append the transfer and fill in the records of `source`, a new one. The frame
// begins with `execution`, the number of those so far.
void addRecordFrame(poplar::Graph &graph, TapSource &source,
                    const std::vector<FrameRow> &rows,
                    const poplar::Tensor &execution, unsigned tile,
                    poplar::program::Sequence &prog);
void addMergedFrame(poplar::Graph &graph, TapSource &source,
                    const std::vector<FrameRow> &rows,
                    const poplar::Tensor &execution, unsigned tile,
                    poplar::program::Sequence &prog);

} // namespace popscope::outfeed
