#include "host/train/watch/trial_rounds.hpp"

#include <utility>

namespace popscope::host {

TrialRounds::TrialRounds(std::vector<unsigned> runs)
    : runs_(std::move(runs)), seconds_(runs_.size()) {}

bool TrialRounds::took(double seconds) {
  const std::size_t trial = next();
  sum_ += seconds;
  if (++done_ < runs_[trial])
    return false;
  seconds_[trial].push_back(std::exchange(sum_, 0.0) /
                            std::exchange(done_, 0u));
  if (++place_ < runs_.size())
    return false;
  place_ = 0;
  ++rounds_;
  return true;
}

MeasuredShare TrialRounds::shareOf(std::size_t trial) const {
  std::vector<double> shares;
  for (std::size_t round = 0; round < seconds_[trial].size(); ++round)
    shares.push_back(seconds_[trial][round] / seconds_.front()[round] - 1.0);
  return medianOf(std::move(shares));
}

} // namespace popscope::host
