// Maps the elements of a tensor to the variable of its clone.
#pragma once

#include "poplar/graph/graph_data.hpp"

#include <vector>

namespace ipumodel {

// Consecutive elements of a source variable, and their new position.
struct Region {
  Run source;
  TileId tile;       // kNoTile if a region may span tiles
  std::size_t begin; // of the first copy in the new variable
};

enum class RegionOrder {
  variable,       // as in the source
  variableByTile, // the same, but no region is on two tiles
  tile            // by tile, and on each tile as in the source
};

class CloneLayout {
public:
  // Each region is followed by its copies.
  CloneLayout(const GraphData &graph, const View &view, RegionOrder order,
              std::size_t copies);

  std::size_t numElements() const { return numElements_; }

  // The source view in terms of one copy in the new variable.
  View move(const View &view, VariableId variable, std::size_t copy) const;

  // Calls f(run, begin) for the elements of all copies.
  template <class F> void forEach(F &&f) const {
    for (const Region &region : regions_)
      for (std::size_t copy = 0; copy < copies_; ++copy)
        f(region.source, region.begin + copy * region.source.count);
  }

private:
  const Region &find(VariableId variable, std::size_t offset) const;
  void moveBlock(const Block &block, VariableId variable, std::size_t copy,
                 std::vector<Block> &out) const;
  void moveRuns(const Block &block, VariableId variable, std::size_t copy,
                std::vector<Block> &out) const;

  std::vector<Region> regions_; // in the order of their sources
  std::size_t copies_;
  std::size_t numElements_ = 0;
  bool isPacked_; // regions are in the source's order, without gaps or copies
};

} // namespace ipumodel
