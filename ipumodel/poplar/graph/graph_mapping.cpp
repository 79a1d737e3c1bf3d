#include "poplar/graph/only_tile.hpp"
#include "poplar/graph/repeated_mapping.hpp"
#include "poplar/graph/tensor_checks.hpp"
#include "poplar/view/sorted_block.hpp"

#include <poplar/Graph.hpp>

#include <algorithm>
#include <cassert>
#include <optional>

namespace poplar {

using ipumodel::describe;
using ipumodel::GraphData;
using ipumodel::GraphImpl;
using ipumodel::implOf;
using ipumodel::kNoTile;
using ipumodel::prefixOf;
using ipumodel::rangeText;
using ipumodel::Run;
using ipumodel::TensorData;
using ipumodel::TileId;
using ipumodel::Variable;

namespace {

using TileToTensorMapping = Graph::TileToTensorMapping;

std::string mappingOf(const TensorData &tensor, const char *use) {
  return prefixOf(tensor) + use + " of tensor " + describe(tensor);
}

// Finds ranges of a flattened tensor in its variables.
class RunIndex {
public:
  explicit RunIndex(const TensorData &tensor) : runs_(tensor.view.runs()) {
    begins_.reserve(runs_.size());
    for (const Run &run : runs_) {
      begins_.push_back(size_);
      size_ += run.count;
    }
  }

  std::size_t size() const { return size_; }

  // Calls f(variable, begin, end) for the parts of [begin, end).
  template <class F>
  void forEach(std::size_t begin, std::size_t end, F &&f) const {
    auto i = static_cast<std::size_t>(
        std::upper_bound(begins_.begin(), begins_.end(), begin) -
        begins_.begin() - 1);
    for (; begin < end; ++i) {
      const Run &run = runs_[i];
      const std::size_t skipped = begin - begins_[i];
      const std::size_t count = std::min(end - begin, run.count - skipped);
      f(run.variable, run.offset + skipped, run.offset + skipped + count);
      begin += count;
    }
  }

private:
  std::vector<Run> runs_;
  std::vector<std::size_t> begins_; // of each run in the flattened tensor
  std::size_t size_ = 0;
};

void append(std::vector<Interval> &intervals, std::size_t begin,
            std::size_t end) {
  if (!intervals.empty() && intervals.back().end() == begin)
    intervals.back() = Interval(intervals.back().begin(), end);
  else
    intervals.emplace_back(begin, end);
}

// A tensor's mapping, and the elements it leaves out.
struct FoundMapping {
  TileToTensorMapping tiles;
  std::vector<Interval> unmapped;
  std::vector<Interval> external; // on tiles outside this graph
};

enum class Constants { included, leftOut };

FoundMapping findMapping(const GraphImpl &impl, const TensorData &tensor,
                         Constants constants) {
  FoundMapping found;
  found.tiles.resize(impl.target.getNumTiles());
  std::size_t position = 0;
  tensor.view.forEachRun([&](const Run &run) {
    const Variable &variable = impl.data->variables[run.variable];
    const std::size_t start = position;
    position += run.count;
    if (constants == Constants::leftOut && ipumodel::isConstant(variable))
      return;
    variable.mapping.forEach(
        run.offset, run.offset + run.count,
        [&](std::size_t begin, std::size_t end, TileId topLevel) {
          const TileId tile =
              topLevel == kNoTile ? kNoTile : impl.fromTopLevel(topLevel);
          append(topLevel == kNoTile ? found.unmapped
                 : tile == kNoTile   ? found.external
                                     : found.tiles[tile],
                 start + (begin - run.offset), start + (end - run.offset));
        });
  });
  return found;
}

std::string listText(const std::vector<Interval> &intervals) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < intervals.size() && i < kShown; ++i)
    text +=
        (i ? ", " : "") + rangeText(intervals[i].begin(), intervals[i].end());
  if (intervals.size() > kShown)
    text +=
        " and " + std::to_string(intervals.size() - kShown) + " ranges more";
  return text;
}

void requireComplete(const FoundMapping &found, const TensorData &tensor) {
  if (!found.unmapped.empty())
    throw invalid_tile_mapping(mappingOf(tensor, "tile mapping") +
                               ": elements " + listText(found.unmapped) +
                               " are not mapped to a tile");
}

void requireInternal(const FoundMapping &found, const TensorData &tensor) {
  if (!found.external.empty())
    throw invalid_tile_mapping(mappingOf(tensor, "tile mapping") +
                               ": elements " + listText(found.external) +
                               " are on tiles outside the virtual graph");
}

} // namespace

void Graph::setTileMapping(VertexRef v, unsigned tile) {
  GraphImpl &impl = implOf(*this);
  if (v.getId() >= impl.data->vertices.size())
    throw poplar_error(
        "setTileMapping: the vertex does not belong to this graph");
  ipumodel::Vertex &vertex = impl.data->vertices[v.getId()];
  vertex.tile = impl.toTopLevel(tile, [&] {
    return prefixOf(impl.data->computeSets[vertex.computeSet].location) +
           "setTileMapping of vertex " +
           impl.data->vertexTypes[vertex.type].name;
  });
}

void Graph::setTileMapping(const Tensor &t, unsigned tile) {
  GraphImpl &impl = implOf(*this);
  const TensorData &tensor = impl.check(t, "setTileMapping");
  const TileId topLevel = impl.toTopLevel(
      tile, [&] { return mappingOf(tensor, "setTileMapping"); });
  for (const ipumodel::Block &block : tensor.view.blocks()) {
    ipumodel::TileMap &mapping = impl.data->variables[block.variable].mapping;
    ipumodel::SortedBlock(block).forEachRun(
        [&](std::size_t offset, std::size_t count) {
          mapping.set(offset, offset + count, topLevel);
        });
  }
}

void Graph::setTileMapping(const Tensor &t,
                           const TileToTensorMapping &mapping) {
  GraphImpl &impl = implOf(*this);
  const TensorData &tensor = impl.check(t, "setTileMapping");
  const auto use = [&] { return mappingOf(tensor, "setTileMapping"); };
  const RunIndex index(tensor);
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    const TileId topLevel = impl.toTopLevel(tile, use);
    for (const Interval &interval : mapping[tile]) {
      if (interval.begin() > interval.end() || interval.end() > index.size())
        throw invalid_tile_mapping(use() + ": elements " +
                                   rangeText(interval.begin(), interval.end()) +
                                   " given to tile " + std::to_string(tile) +
                                   " are beyond its " +
                                   std::to_string(index.size()) + " elements");
      index.forEach(interval.begin(), interval.end(),
                    [&](ipumodel::VariableId variable, std::size_t begin,
                        std::size_t end) {
                      impl.data->variables[variable].mapping.set(begin, end,
                                                                 topLevel);
                    });
    }
  }
}

TileToTensorMapping Graph::getTileMapping(const Tensor &t, bool complete,
                                          bool allowExternal) const {
  const GraphImpl &impl = implOf(*this);
  const TensorData &tensor = impl.check(t, "getTileMapping");
  FoundMapping found = findMapping(impl, tensor, Constants::included);
  if (complete)
    requireComplete(found, tensor);
  if (!allowExternal)
    requireInternal(found, tensor);
  return std::move(found.tiles);
}

TileToTensorMapping Graph::getTileMapping(const Tensor &t, bool *isComplete,
                                          bool allowExternal) const {
  const GraphImpl &impl = implOf(*this);
  const TensorData &tensor = impl.check(t, "getTileMapping");
  FoundMapping found = findMapping(impl, tensor, Constants::included);
  if (!allowExternal)
    requireInternal(found, tensor);
  if (isComplete)
    *isComplete = found.unmapped.empty();
  return std::move(found.tiles);
}

TileToTensorMapping Graph::getVariableTileMapping(const Tensor &t) const {
  const GraphImpl &impl = implOf(*this);
  const TensorData &tensor = impl.check(t, "getVariableTileMapping");
  FoundMapping found = findMapping(impl, tensor, Constants::leftOut);
  requireComplete(found, tensor);
  requireInternal(found, tensor);
  return std::move(found.tiles);
}

} // namespace poplar

std::optional<unsigned> ipumodel::onlyTile(const poplar::Graph &graph,
                                           const poplar::Tensor &t) {
  const GraphImpl &impl = implOf(graph);
  std::optional<TileId> found;
  for (const ipumodel::Block &block : impl.check(t, "onlyTile").view.blocks()) {
    const ipumodel::TileMap &mapping =
        impl.data->variables[block.variable].mapping;
    bool isOne = true;
    ipumodel::SortedBlock(block).forEachRun([&](std::size_t offset,
                                                std::size_t count) {
      if (!isOne)
        return;
      mapping.forEach(
          offset, offset + count, [&](std::size_t, std::size_t, TileId tile) {
            isOne = isOne && tile != kNoTile && found.value_or(tile) == tile;
            found = tile;
          });
    });
    if (!isOne)
      return std::nullopt;
  }
  if (!found)
    return std::nullopt;
  const TileId tile = impl.fromTopLevel(*found);
  return tile == kNoTile ? std::nullopt : std::optional<unsigned>(tile);
}

void ipumodel::repeatTileMapping(poplar::Graph &graph,
                                 const poplar::Tensor &t) {
  const GraphImpl &impl = implOf(graph);
  const TensorData &tensor = impl.check(t, "repeatTileMapping");
  const Variable *whole = firstVariable(tensor);
  if (!whole || t.dim(0) <= 1)
    return;
  Variable &variable =
      impl.data->variables[tensor.view.blocks().front().variable];
  assert(variable.numElements == t.numElements() && t.isContiguous() &&
         "a part of a variable has no period");
  variable.mapping.repeat(t.numElements() / t.dim(0), t.dim(0));
}
