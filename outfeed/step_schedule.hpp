// When a tap is due.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::outfeed {

// Steps from, from + every, ... up to and including until, and besides those in
// the list; every 0 is the list alone.
struct StepSchedule {
  std::uint32_t every = 1;
  std::uint32_t from = 0;
  std::uint32_t until = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> steps;

  bool isDue(std::uint32_t step) const;
  // How many steps below this one are due.
  std::uint64_t dueBefore(std::uint32_t step) const;
  // The n-th due step, from 0; the schedule must have that many.
  std::uint32_t dueStep(std::uint64_t n) const;
  bool isAlways() const { return every == 1 && from == 0 && isEndless(); }
  std::string text() const;

private:
  bool isPeriodic(std::uint32_t step) const;
  bool isEndless() const {
    return until == std::numeric_limits<std::uint32_t>::max();
  }
};

bool operator==(const StepSchedule &a, const StepSchedule &b);

// Words such as `every 10 from 100 until 500` or `steps 1,5,20`, in any order.
// Throws std::invalid_argument naming the word that makes no sense.
StepSchedule parseSchedule(std::string_view text);

} // namespace popscope::outfeed
