// Which tile is next to hold what the taps of a program need.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Target.hpp>

namespace popscope::outfeed {

class TileTurn {
public:
  unsigned next(const poplar::Graph &graph) {
    return tile_++ % graph.getTarget().getNumTiles();
  }
  void goOnAfter(unsigned tile) { tile_ = tile + 1; }

private:
  unsigned tile_ = 0;
};

} // namespace popscope::outfeed
