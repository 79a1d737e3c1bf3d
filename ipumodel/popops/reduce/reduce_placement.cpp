#include "popops/reduce/reduce_placement.hpp"

#include "poplar/graph/only_tile.hpp"

#include <poputil/TileMapping.hpp>

#include <algorithm>

namespace ipumodel {

using namespace poplar;

namespace {

using Mapping = Graph::TileToTensorMapping;

// Tiles write words: a share of an output must not end inside one.
bool hasWholeWords(const Mapping &mapping, std::size_t elements,
                   std::size_t elementsPerWord) {
  for (const std::vector<Interval> &tile : mapping)
    for (const Interval &part : tile)
      if (part.begin() % elementsPerWord != 0 ||
          (part.end() % elementsPerWord != 0 && part.end() != elements))
        return false;
  return true;
}

// The mapping of `table` [kept, reduced] by rows; empty if a row is on several
// tiles or not mapped.
Mapping mappingOfRows(const Graph &graph, const Tensor &table) {
  const std::size_t rowSize = table.dim(1);
  const Tensor first = table.slice(0, 1, 1),
               last = table.slice(rowSize - 1, rowSize, 1);
  bool complete = false;
  Mapping rows = graph.getTileMapping(first, &complete, true);
  // Most inputs are spread otherwise, which these two columns tell.
  if (!complete || rows != graph.getTileMapping(last, &complete, true))
    return {};
  const Mapping all = graph.getTileMapping(table, &complete, true);
  if (!complete)
    return {};
  for (const std::vector<Interval> &tile : all)
    for (const Interval &part : tile)
      if (part.begin() % rowSize != 0 || part.end() % rowSize != 0)
        return {};
  return rows;
}

} // namespace

void placeReduced(Graph &graph, const Tensor &in, const Tensor &out,
                  const std::vector<std::size_t> &dims) {
  std::vector<unsigned> order, reduced;
  for (unsigned d = 0; d < in.rank(); ++d)
    (std::find(dims.begin(), dims.end(), d) == dims.end() ? order : reduced)
        .push_back(d);
  order.insert(order.end(), reduced.begin(), reduced.end());
  const std::size_t elements = out.numElements();
  Mapping mapping;
  if (const auto tile = ipumodel::onlyTile(graph, in)) {
    graph.setTileMapping(out, *tile);
    return;
  }
  if (in.numElements() != 0)
    mapping = mappingOfRows(
        graph,
        in.dimShuffle(order).reshape({elements, in.numElements() / elements}));
  constexpr std::size_t kWordBytes = 4;
  const std::size_t bytes = graph.getTarget().getTypeSize(out.elementType());
  if (!mapping.empty() &&
      hasWholeWords(mapping, elements,
                    std::max<std::size_t>(1, kWordBytes / bytes)))
    graph.setTileMapping(out.flatten(), mapping);
  else
    poputil::mapTensorLinearly(graph, out);
}

} // namespace ipumodel
