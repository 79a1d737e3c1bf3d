// The real time each step of a program takes, as opposed to its estimated
// cycles.
#pragma once

#include "poplar/run/execution_trace.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace ipumodel {

struct Step;

// A step lasts until the next one begins; for operations that run as one, the
// time counts for one of them.
class StepTimes {
public:
  explicit StepTimes(std::size_t numSteps) : seconds_(numSteps) {}

  void begin(StepId step) {
    end();
    current_ = step;
  }
  void end(); // of the run
  // One line per step that ran: share of the total, seconds, kind and name.
  void write(const std::string &file, const std::vector<Step> &steps) const;

private:
  using Clock = std::chrono::steady_clock;
  static constexpr StepId kNone = ~StepId(0);

  std::vector<double> seconds_; // by StepId
  StepId current_ = kNone;
  Clock::time_point since_;
};

} // namespace ipumodel
