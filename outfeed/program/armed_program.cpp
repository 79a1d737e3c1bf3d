#include "outfeed/program/armed_program.hpp"

#include "graph/taps/triggers.hpp"

#include <utility>

namespace popscope::outfeed {

using poplar::program::If;
using poplar::program::Sequence;

void ArmedProgram::add(poplar::Graph &graph, const std::vector<Armed> &group,
                       const Unit &unit, TapMask &mask,
                       const NewSource &newSource, Sequence &prog) {
  TapLimits limits;
  limits.handle = name_ + "/limits/" + std::to_string(limits_.size());
  std::vector<graph::Trigger> triggers;
  std::size_t first = 0;
  for (const Armed &armed : group) {
    const Tap &tap = armed.tap;
    triggers.push_back({armed.row, armed.tier, unsigned(tap.tensor.numElements),
                        tap.condition->terms, tap.condition->limits,
                        tap.forUpdates});
    limits.ranges.push_back({tap.id, first, tap.condition->limits.size()});
    first += tap.condition->limits.size();
  }
  const graph::Triggered triggered =
      graph::addTriggers(graph, triggers,
                         {unit.execution, unit.executionsPerUpdate, unit.tile,
                          limits.handle, unit.recorderLastUpdate},
                         prog, {"popscope/triggers"});
  for (std::size_t t = 0; t < group.size(); ++t) {
    const TapLimits::Range &range = limits.ranges[t];
    if (group[t].tap.masked)
      mask.addLimits(range.tap, triggered.limits.slice(
                                    range.first, range.first + range.count));
  }
  limits_.push_back(std::move(limits));
  Sequence all;
  for (std::size_t t = 0; t < group.size(); ++t) {
    const Tap &tap = group[t].tap;
    Sequence body;
    addTransferOf(graph, group[t], triggered.evidence[t], unit,
                  newSource(tap.schedule, unit.moment, tap.tensor.name), body);
    all.add(If(triggered.sends[t], body, Sequence(), {"popscope/fires"}));
  }
  prog.add(If(triggered.any, all, Sequence(), {"popscope/fires"}));
}

void ArmedProgram::addTransferOf(poplar::Graph &graph, const Armed &armed,
                                 const poplar::Tensor &evidence,
                                 const Unit &unit, TapSource &source,
                                 Sequence &prog) {
  const Tap &tap = armed.tap;
  const std::string debugName = "popscope/" + tap.tensor.name;
  source.isArmed = true;
  if (tap.payload == Payload::full) {
    source.full = tap.id;
    const poplar::Tensor stamp = graph::addWordsAs(
        graph, poplar::concat(unit.execution.reshape({1}), evidence),
        armed.elements.elementType(), unit.tile, prog, {debugName});
    addTransfer(graph, source, poplar::concat(stamp, armed.elements.flatten()),
                prog, {debugName});
    return;
  }
  source.records.push_back(
      {tap.id, kFrameHeaderWords + kEvidenceWords, armed.order});
  addTransfer(graph, source,
              poplar::concat(
                  {headerOf(graph, source, unit.execution, unit.tile), evidence,
                   armed.row.slice(0, rowWords(tierOf(tap.payload)))}),
              prog, {debugName});
}

} // namespace popscope::outfeed
