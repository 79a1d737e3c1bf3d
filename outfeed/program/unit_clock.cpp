#include "outfeed/program/unit_clock.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

namespace {

poplar::Tensor addClockWord(poplar::Graph &graph, unsigned value, unsigned tile,
                            const char *name) {
  const poplar::Tensor word =
      graph.addVariable(poplar::UNSIGNED_INT, {}, {name});
  graph.setTileMapping(word, tile);
  graph.setInitialValue(word, value);
  return word;
}

} // namespace

std::vector<unsigned> TapClock::wordsAt(Update update) const {
  std::vector<unsigned> words{update.value() * executionsPerUpdate};
  for (const UpdateSchedule &schedule : schedules)
    words.push_back(schedule.isDue(update));
  return words;
}

poplar::Tensor UnitClock::execution(poplar::Graph &graph, TileTurn &tiles) {
  if (!execution_.valid())
    execution_ =
        addClockWord(graph, 0, tiles.next(graph), "popscope/execution");
  return execution_;
}

poplar::Tensor UnitClock::dueFlag(poplar::Graph &graph,
                                  const UpdateSchedule &schedule) {
  const auto known = std::find(schedules_.begin(), schedules_.end(), schedule);
  if (known != schedules_.end())
    return due_[std::size_t(known - schedules_.begin())];
  schedules_.push_back(schedule);
  due_.push_back(
      addClockWord(graph, schedule.isDue(Update(0)), 0, "popscope/due"));
  return due_.back();
}

TapClock UnitClock::add(poplar::Graph &graph, std::string handle,
                        unsigned executionsPerUpdate,
                        poplar::program::Sequence &prog) {
  std::vector<unsigned> every, from, until, listEnd, list;
  for (const UpdateSchedule &schedule : schedules_) {
    every.push_back(schedule.every);
    from.push_back(schedule.from);
    until.push_back(schedule.until);
    list.insert(list.end(), schedule.updates.begin(), schedule.updates.end());
    listEnd.push_back(unsigned(list.size()));
  }
  std::vector<poplar::Tensor> due;
  for (const poplar::Tensor &flag : due_)
    due.push_back(flag.reshape({1}));
  const poplar::Tensor flags =
      due.empty()
          ? graph.addVariable(poplar::UNSIGNED_INT, {0}, {"popscope/due"})
          : poplar::concat(due);
  const poplar::ComputeSet clock = graph.addComputeSet({"popscope/clock"});
  const poplar::VertexRef vertex = graph.addVertex(
      clock, "popscope::TapClock", {{"execution", execution_}, {"due", flags}});
  graph.setInitialValue(vertex["executionsPerUpdate"], executionsPerUpdate);
  graph.setInitialValue(vertex["every"], every);
  graph.setInitialValue(vertex["from"], from);
  graph.setInitialValue(vertex["until"], until);
  graph.setInitialValue(vertex["listEnd"], listEnd);
  graph.setInitialValue(vertex["list"], list);
  graph.setTileMapping(vertex, 0);
  graph.setPerfEstimate(vertex, 20 + 12 * every.size() + 4 * list.size());
  prog.add(poplar::program::Execute(clock, {"popscope/clock"}));

  graph.createHostWrite(handle, poplar::concat(execution_.reshape({1}), flags));
  return {std::move(handle), executionsPerUpdate, schedules_};
}

} // namespace popscope::outfeed
