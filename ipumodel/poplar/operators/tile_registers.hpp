// State of the tiles that programs can read and change, such as the seeds of
// their random generators: a variable with words on every tile.
#pragma once

#include <poplar/Graph.hpp>

#include <cstddef>

namespace ipumodel {

// The words of the tiles of this graph, {tiles, wordsPerTile}. The variable is
// created on the first request for `name`; all virtual graphs share it.
poplar::Tensor tileRegister(const poplar::Graph &graph, const char *name,
                            std::size_t wordsPerTile);

// A variable with the same layout: each first index is on its tile.
poplar::Tensor addTileWords(poplar::Graph &graph,
                            poplar::ArrayRef<std::size_t> shape,
                            const poplar::DebugContext &debugContext);

// The random generators' state, {tiles, workers, 4}.
poplar::Tensor hwSeeds(const poplar::Graph &graph);

} // namespace ipumodel
