#include "graph/taps/triggers.hpp"

#include <gcl/Collectives.hpp>

#include <cstddef>

namespace popscope::graph {

namespace {

using poplar::program::Execute;
using poplar::program::Sequence;

// Estimates, never measured on a device.
constexpr std::size_t kCyclesPerTerm = 60;
constexpr std::size_t kCyclesPerTrigger = 40;

poplar::Tensor addWords(poplar::Graph &graph, std::size_t count, unsigned tile,
                        const poplar::DebugContext &debugContext) {
  const poplar::Tensor words =
      graph.addVariable(poplar::UNSIGNED_INT, {count}, debugContext);
  graph.setTileMapping(words, tile);
  return words;
}

poplar::Tensor addZeros(poplar::Graph &graph, std::size_t count, unsigned tile,
                        const poplar::DebugContext &debugContext) {
  const poplar::Tensor words = addWords(graph, count, tile, debugContext);
  graph.setInitialValue(
      words, poplar::ArrayRef<unsigned>(std::vector<unsigned>(count, 0)));
  return words;
}

// Returns which of the conditions hold.
poplar::Tensor addJudgement(poplar::Graph &graph,
                            const std::vector<Trigger> &triggers, unsigned tile,
                            const std::string &limitsHandle,
                            Triggered &triggered, Sequence &prog,
                            const poplar::DebugContext &debugContext) {
  std::vector<poplar::Tensor> rows;
  std::vector<unsigned> tiers, counts, termEnd, terms;
  std::vector<float> values;
  for (const Trigger &trigger : triggers) {
    rows.push_back(trigger.row.flatten());
    tiers.push_back(unsigned(trigger.tier));
    counts.push_back(trigger.elements);
    for (const ConditionTerm &term : trigger.terms)
      terms.push_back(wordOf(term));
    values.insert(values.end(), trigger.limits.begin(), trigger.limits.end());
    termEnd.push_back(unsigned(terms.size()));
  }
  const poplar::Tensor limits = graph.addVariable(
      poplar::FLOAT, {values.size()}, {debugContext, "limits"});
  graph.setTileMapping(limits, tile);
  graph.setInitialValue(limits, poplar::ArrayRef<float>(values));
  graph.createHostWrite(limitsHandle, limits);
  triggered.limits = limits;
  const poplar::Tensor memory = addZeros(graph, terms.size() * kTermMemoryWords,
                                         tile, {debugContext, "memory"});
  const poplar::Tensor holds =
      addWords(graph, triggers.size(), tile, {debugContext, "holds"});

  const poplar::ComputeSet judge = graph.addComputeSet({debugContext, "judge"});
  const poplar::VertexRef vertex =
      graph.addVertex(judge, "popscope::JudgeRows",
                      {{"rows", poplar::concat(rows)},
                       {"limits", limits},
                       {"memory", memory},
                       {"holds", holds},
                       {"evidence", triggered.evidence.flatten()}});
  graph.setInitialValue(vertex["tiers"], tiers);
  graph.setInitialValue(vertex["counts"], counts);
  graph.setInitialValue(vertex["termEnd"], termEnd);
  graph.setInitialValue(vertex["terms"], terms);
  graph.setTileMapping(vertex, tile);
  graph.setPerfEstimate(vertex, kCyclesPerTrigger * triggers.size() +
                                    kCyclesPerTerm * terms.size());
  prog.add(Execute(judge, {debugContext, "judge"}));
  return holds;
}

} // namespace

Triggered addTriggers(poplar::Graph &graph,
                      const std::vector<Trigger> &triggers,
                      const TriggerPlace &place, Sequence &prog,
                      const poplar::DebugContext &debugContext) {
  const unsigned tile = place.tile;
  const std::size_t count = triggers.size();
  Triggered triggered;
  triggered.evidence =
      addWords(graph, count * kEvidenceWords, tile, {debugContext, "evidence"})
          .reshape({count, kEvidenceWords});
  poplar::Tensor holds = addJudgement(graph, triggers, tile, place.limitsHandle,
                                      triggered, prog, debugContext);
  if (graph.getReplicationFactor() > 1)
    gcl::allReduceInPlaceCrossReplica(
        graph, holds, gcl::CollectiveOperator::MAX, prog, {debugContext, "or"});

  std::vector<unsigned> forUpdates;
  for (const Trigger &trigger : triggers)
    forUpdates.push_back(trigger.forUpdates);
  triggered.sends = addWords(graph, count, tile, {debugContext, "sends"});
  triggered.any = addWords(graph, 1, tile, {debugContext, "any"}).reshape({});
  const poplar::ComputeSet fire = graph.addComputeSet({debugContext, "fire"});
  const poplar::VertexRef vertex = graph.addVertex(
      fire, "popscope::FireTriggers",
      {{"holds", holds},
       {"execution", place.execution},
       {"armedAt", addZeros(graph, count, tile, {debugContext, "armed_at"})},
       {"sends", triggered.sends},
       {"any", triggered.any},
       {"lastUpdate", place.recorderLastUpdate.valid()
                          ? place.recorderLastUpdate.reshape({1})
                          : addWords(graph, 0, tile, {debugContext, "none"})}});
  graph.setInitialValue(vertex["executionsPerUpdate"],
                        place.executionsPerUpdate);
  graph.setInitialValue(vertex["forUpdates"], forUpdates);
  graph.setTileMapping(vertex, tile);
  graph.setPerfEstimate(vertex, 20 + 10 * count);
  prog.add(Execute(fire, {debugContext, "fire"}));
  return triggered;
}

poplar::Tensor addWordsAs(poplar::Graph &graph, const poplar::Tensor &words,
                          const poplar::Type &type, unsigned tile,
                          Sequence &prog,
                          const poplar::DebugContext &debugContext) {
  if (type != poplar::HALF)
    return words.reinterpret(type);
  const poplar::Tensor halves = graph.addVariable(
      type, {2 * words.numElements()}, {debugContext, "stamp"});
  graph.setTileMapping(halves, tile);
  const poplar::ComputeSet stamp = graph.addComputeSet({debugContext, "stamp"});
  const poplar::VertexRef vertex = graph.addVertex(
      stamp, "popscope::WordsAsHalves", {{"words", words}, {"halves", halves}});
  graph.setTileMapping(vertex, tile);
  graph.setPerfEstimate(vertex, 20 + 4 * words.numElements());
  prog.add(Execute(stamp, {debugContext, "stamp"}));
  return halves;
}

} // namespace popscope::graph
