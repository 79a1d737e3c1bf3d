#include "graph/taps/intervention.hpp"

#include "graph/taps/tile_parts.hpp"

#include <vector>

namespace popscope::graph {

namespace {

using poplar::program::Execute;
using poplar::program::Sequence;

// Where the words are, in InterventionWords.
constexpr std::size_t kKind = 0, kSeed = 2;

void addVertex(poplar::Graph &graph, const poplar::ComputeSet &computeSet,
               const poplar::Tensor &flat, const TilePart &part,
               const poplar::Tensor &words) {
  std::vector<std::vector<poplar::Interval>> regions;
  std::vector<unsigned> firstIndex; // noise needs the index of every element
  std::size_t elements = 0;
  for (const auto &region : part.regions)
    for (const poplar::Interval &interval : region) {
      regions.push_back({interval});
      firstIndex.push_back(unsigned(interval.begin()));
      elements += interval.size();
    }
  const poplar::VertexRef vertex = graph.addVertex(
      computeSet,
      flat.elementType() == poplar::HALF ? "popscope::Intervene<half>"
                                         : "popscope::Intervene<float>",
      {{"words", words}});
  graph.connect(vertex["regions"], flat.slices(regions));
  graph.setInitialValue(vertex["firstIndex"],
                        poplar::ArrayRef<unsigned>(firstIndex));
  graph.setTileMapping(vertex, part.tile);
  constexpr std::size_t kCyclesPerElement = 30; // those of noise, estimated
  graph.setPerfEstimate(vertex, 20 + kCyclesPerElement * elements);
}

} // namespace

bool canBeChanged(const poplar::Tensor &tensor) {
  const poplar::Type type = tensor.elementType();
  return (type == poplar::FLOAT || type == poplar::HALF) &&
         tensor.isParallelWriteable();
}

poplar::Tensor addInterventionWords(poplar::Graph &graph,
                                    const poplar::DebugContext &debugContext) {
  const poplar::Tensor words =
      graph.addVariable(poplar::UNSIGNED_INT, {kInterventionWords},
                        {debugContext, "intervention"});
  graph.setTileMapping(words, 0);
  graph.setInitialValue<unsigned>(words,
                                  std::vector<unsigned>(kInterventionWords, 0));
  return words;
}

void addIntervention(poplar::Graph &graph, const poplar::Tensor &tensor,
                     const poplar::Tensor &words, Sequence &prog,
                     const poplar::DebugContext &debugContext) {
  const poplar::DebugContext name(debugContext, "intervene");
  const poplar::ComputeSet intervene = graph.addComputeSet(name);
  const poplar::Tensor flat = tensor.flatten();
  for (const TilePart &part : tileParts(graph, flat))
    addVertex(graph, intervene, flat, part, words);
  const poplar::ComputeSet advance = graph.addComputeSet(name);
  const poplar::VertexRef vertex = graph.addVertex(
      advance, "popscope::AdvanceSeed", {{"seed", words[kSeed]}});
  graph.setTileMapping(vertex, 0);
  graph.setPerfEstimate(vertex, 20);
  prog.add(poplar::program::If(
      words[kKind],
      Sequence({Execute(intervene, name), Execute(advance, name)}), Sequence(),
      name));
}

} // namespace popscope::graph
