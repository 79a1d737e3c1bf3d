// Statistics of a tensor, computed on its tiles; codelets/stats_row.hpp defines
// a row.
#pragma once

#include "codelets/stats_row.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <vector>

namespace popscope::graph {

// Maps positions in memory, which rows hold, to indices in the flattened
// tensor. The two differ for a tensor that is not stored in index order, such
// as a transposed one.
class ElementOrder {
public:
  // Positions equal indices.
  ElementOrder() = default;

  void append(const poplar::Interval &indices);
  // Returns kNoIndex for kNoIndex.
  unsigned indexOf(unsigned position) const;
  std::size_t size() const { return size_; }

private:
  struct Run {
    std::size_t position, index;
  };
  std::vector<Run> runs_; // ascending by position
  std::size_t size_ = 0;
};

// The rows of a tensor's parts, before they are merged.
struct PartialStats {
  poplar::Tensor rows; // UNSIGNED_INT [parts, rowWords(tier)]
  StatsTier tier = StatsTier::stats;
  ElementOrder order;
  std::size_t largestPart = 0; // elements
  std::size_t rowsOfATile = 0; // on the tile with the most
};

// Adds vertices to the compute set that only read the tensor, which is FLOAT,
// HALF, INT or UNSIGNED_INT. addCodelets must have been called for the graph.
// Throws std::invalid_argument for another type.
PartialStats addPartialStats(poplar::Graph &graph, const poplar::Tensor &tensor,
                             StatsTier tier, poplar::ComputeSet &computeSet,
                             const poplar::DebugContext &debugContext = {});

// Merges rows, for many tensors in the same compute sets.
class RowMerges {
public:
  // Merges the rows, in their order, into `row`: UNSIGNED_INT [rowWords(tier)],
  // mapped to a tile.
  void add(const PartialStats &stats, const poplar::Tensor &row);
  // Appends all merges added so far and forgets them.
  void build(poplar::Graph &graph, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});

private:
  struct Merge {
    poplar::Tensor rows;
    StatsTier tier;
    poplar::Tensor row;
  };
  std::vector<Merge> merges_;
};

struct DeviceStats {
  poplar::Tensor row; // UNSIGNED_INT [rowWords(tier)]
  ElementOrder order;
};

// Partial statistics and their merge for a single tensor.
DeviceStats addTensorStats(poplar::Graph &graph, const poplar::Tensor &tensor,
                           StatsTier tier, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
