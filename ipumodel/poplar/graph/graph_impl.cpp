#include "poplar/graph/graph_impl.hpp"

#include "poplar/graph/tensor_checks.hpp"
#include "poplar/values/debug_access.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>

namespace ipumodel {

std::vector<TileId> GraphImpl::invert(const std::vector<TileId> &tiles) {
  std::vector<TileId> inverse;
  if (tiles.empty())
    return inverse;
  inverse.assign(*std::max_element(tiles.begin(), tiles.end()) + 1, kNoTile);
  for (std::size_t i = 0; i < tiles.size(); ++i)
    inverse[tiles[i]] = static_cast<TileId>(i);
  return inverse;
}

void GraphImpl::failNoTile(unsigned tile, const std::string &use) const {
  std::string message =
      use + ": there is no tile " + std::to_string(tile) + " (IPU " +
      std::to_string(tile / target.getTilesPerIPU()) +
      "), the graph covers tiles " + rangeText(0, target.getNumTiles());
  if (!tiles.empty())
    message += ", which are tiles " +
               rangeText(*std::min_element(tiles.begin(), tiles.end()),
                         fromTopLevel_.size()) +
               " of the top-level graph";
  throw poplar::invalid_tile_mapping(message);
}

TileId GraphImpl::fromTopLevel(TileId tile) const {
  if (tiles.empty())
    return tile;
  return tile < fromTopLevel_.size() ? fromTopLevel_[tile] : kNoTile;
}

const TensorData &GraphImpl::check(const poplar::Tensor &tensor,
                                   const char *use) const {
  const TensorData &checked = dataOf(tensor, use);
  if (checked.graph != data.get())
    throw poplar::poplar_error(prefixOf(checked) + use + ": tensor " +
                               describe(checked) + " belongs to another graph");
  return checked;
}

poplar::Tensor GraphImpl::makeTensor(poplar::Type type, View view,
                                     TensorPtr metadata) const {
  return poplar::Tensor(std::make_shared<TensorData>(
      TensorData{data.get(), type, std::move(view), std::move(metadata)}));
}

VariableId GraphImpl::addVariable(poplar::Type type, std::size_t numElements,
                                  const poplar::DebugContext &debugContext,
                                  Variable::Kind kind) {
  infoOf(type); // throws if it is none
  const auto id = static_cast<VariableId>(data->variables.size());
  data->variables.push_back({type,
                             numElements,
                             pathOf(debugContext),
                             locationOf(debugContext),
                             kind,
                             nullptr,
                             {}});
  if (data->target.getNumTiles() == 1)
    data->variables.back().mapping.set(0, numElements, 0);
  return id;
}

GraphImpl &implOf(const poplar::Graph &graph) {
  if (!graph.getImpl())
    throw poplar::poplar_error(
        "the graph was default-constructed, it has no target");
  return *graph.getImpl();
}

std::string nameOf(const GraphData &graph, VariableId variable) {
  const std::string &name = graph.variables[variable].name;
  return name.empty() ? "variable " + std::to_string(variable) : name;
}

std::string nameOf(const GraphData &graph, const TensorData &tensor) {
  const auto &blocks = tensor.view.blocks();
  return blocks.empty() ? "<empty>" : nameOf(graph, blocks.front().variable);
}

std::string prefixOf(const poplar::SourceLocation &location) {
  if (!location.isValid())
    return "";
  return std::string(location.getFileName()) + ":" +
         std::to_string(location.getLineNumber()) + " ";
}

VertexType makeVertexType(std::string name, const abi::VertexType &codelet) {
  VertexType type{std::move(name), &codelet, {}};
  for (std::uint32_t i = 0; i < codelet.numFields; ++i)
    type.fieldIndex.emplace(codelet.fields[i].name, i);
  return type;
}

View viewOf(const GraphData &graph, const Edge &edge) {
  if (edge.variable == Edge::kView)
    return *graph.edgeViews[edge.offset];
  BlockDim dim{0, edge.count, {}};
  if (edge.count > 1)
    dim.loops.push_back({edge.count, 1});
  std::vector<Block> blocks;
  if (edge.count > 0 && edge.variable != Edge::kUnconnected)
    blocks.push_back(
        {edge.variable, static_cast<std::ptrdiff_t>(edge.offset), {dim}});
  return View({edge.count}, std::move(blocks));
}

} // namespace ipumodel
