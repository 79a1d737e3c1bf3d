// Statistics of a tensor, computed where it lies: see codelets/stats_row.hpp
// for what a row holds.
#pragma once

#include "codelets/stats_row.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <vector>

namespace popscope::graph {

// Where the elements of a tensor stand that is not stored in its own order, as
// a transposed one: rows then tell positions in memory.
class ElementOrder {
public:
  // Positions are indices.
  ElementOrder() = default;

  void append(const poplar::Interval &indices);
  // The index in the flattened tensor; kNoIndex stays kNoIndex.
  unsigned indexOf(unsigned position) const;
  std::size_t size() const { return size_; }

private:
  struct Run {
    std::size_t position, index;
  };
  std::vector<Run> runs_; // ascending by position
  std::size_t size_ = 0;
};

// Rows of the parts of one tensor.
struct PartialStats {
  poplar::Tensor rows; // UNSIGNED_INT [parts, rowWords(tier)]
  StatsTier tier = StatsTier::stats;
  ElementOrder order;
  std::size_t largestPart = 0; // elements
  std::size_t rowsOfATile = 0; // on the tile that has most
};

// Adds vertices to the compute set that read the tensor, FLOAT, HALF, INT or
// UNSIGNED_INT, and nothing else. The graph must have had addCodelets. Throws
// std::invalid_argument for another type.
PartialStats addPartialStats(poplar::Graph &graph, const poplar::Tensor &tensor,
                             StatsTier tier, poplar::ComputeSet &computeSet,
                             const poplar::DebugContext &debugContext = {});

// Many merges that share their compute sets.
class RowMerges {
public:
  // The rows are merged in their order into `row`, UNSIGNED_INT
  // [rowWords(tier)], which has a tile.
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

// Both steps for a single tensor.
DeviceStats addTensorStats(poplar::Graph &graph, const poplar::Tensor &tensor,
                           StatsTier tier, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
