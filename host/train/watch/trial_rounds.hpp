// Which of several things costs how much, found by timing them in turn.
#pragma once

#include "host/record/measured_share.hpp"

#include <cstddef>
#include <vector>

namespace popscope::host {

// Each trial is run once in a round, and every second round goes backwards, so
// that what drifts meanwhile hits all of them alike. A trial is compared with
// the first one of the same round. Holds no clock.
class TrialRounds {
public:
  // By trial, how many runs it has in a round.
  explicit TrialRounds(std::vector<unsigned> runs);

  // Whose run is next.
  std::size_t next() const {
    const bool isBackwards = rounds_ % 2 != 0;
    return isBackwards ? runs_.size() - 1 - place_ : place_;
  }
  // That run has taken so long. Returns whether it was the last of a round.
  bool took(double seconds);
  std::size_t trials() const { return runs_.size(); }
  unsigned rounds() const { return rounds_; } // that are complete

  // After a round, of at least kLeastMeasurements: what a trial adds to the
  // time of the first.
  MeasuredShare shareOf(std::size_t trial) const;

private:
  const std::vector<unsigned> runs_;
  unsigned rounds_ = 0;
  std::size_t place_ = 0;                    // in the round
  unsigned done_ = 0;                        // runs of the trial
  double sum_ = 0.0;                         // of their seconds
  std::vector<std::vector<double>> seconds_; // of a run, by trial and round
};

} // namespace popscope::host
