// When a tap is due.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace popscope::outfeed {

// The number of a weight update, from 0. Not to be confused with the executions
// of a unit of taps, of which an update has one per micro-batch.
class Update {
public:
  constexpr explicit Update(std::uint32_t value) : value_(value) {}
  constexpr std::uint32_t value() const { return value_; }

private:
  std::uint32_t value_;
};

constexpr bool operator==(Update a, Update b) { return a.value() == b.value(); }
constexpr bool operator!=(Update a, Update b) { return a.value() != b.value(); }
constexpr bool operator<(Update a, Update b) { return a.value() < b.value(); }

// Updates from, from + every, ... up to and including until, and in addition
// those listed; every 0 stands for the list alone, and without a list for no
// update at all.
struct UpdateSchedule {
  std::uint32_t every = 1;
  std::uint32_t from = 0;
  std::uint32_t until = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> updates; // listed: ascending, without repetition

  bool isDue(Update update) const;
  // How many updates before this one are due.
  std::uint64_t dueBefore(Update update) const;
  // The n-th due update, from 0; the schedule must have that many.
  Update dueUpdate(std::uint64_t n) const;
  // Due at the same updates, but at none outside `first` to `last`.
  UpdateSchedule within(Update first, Update last) const;
  bool isAlways() const { return every == 1 && from == 0 && isEndless(); }
  bool isNever() const { return every == 0 && updates.empty(); }
  // As parseSchedule reads it.
  std::string text() const;

private:
  bool isEndless() const {
    return until == std::numeric_limits<std::uint32_t>::max();
  }
};

bool operator==(const UpdateSchedule &a, const UpdateSchedule &b);

} // namespace popscope::outfeed
