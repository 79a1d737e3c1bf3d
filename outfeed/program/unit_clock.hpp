// Counts the executions of a unit on the device, and so decides what is due.
#pragma once

#include "outfeed/program/tile_turn.hpp"
#include "outfeed/rules/update_schedule.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <string>
#include <vector>

namespace popscope::outfeed {

// What the host has to know of a unit's clock to set it.
struct TapClock {
  std::string handle; // of a host write of the words below
  unsigned executionsPerUpdate = 1;
  std::vector<UpdateSchedule> schedules;

  // The executions before `update`, and for each schedule whether it is due
  // then.
  std::vector<unsigned> wordsAt(Update update) const;
};

// While a unit is built: its words are made when they are first asked for.
class UnitClock {
public:
  // UNSIGNED_INT [], the executions so far.
  poplar::Tensor execution(poplar::Graph &graph, TileTurn &tiles);
  bool isCounting() const { return execution_.valid(); }

  // UNSIGNED_INT [], whether a schedule, which is not always due, is due now.
  poplar::Tensor dueFlag(poplar::Graph &graph, const UpdateSchedule &schedule);

  // Appends the vertex that counts and decides for the next execution. After
  // execution().
  TapClock add(poplar::Graph &graph, std::string handle,
               unsigned executionsPerUpdate, poplar::program::Sequence &prog);

private:
  poplar::Tensor execution_;
  std::vector<UpdateSchedule> schedules_;
  std::vector<poplar::Tensor> due_; // one for each
};

} // namespace popscope::outfeed
