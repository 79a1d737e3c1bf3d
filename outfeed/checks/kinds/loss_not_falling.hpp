// A loss that stays where it is.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/kinds/running_mean.hpp"

#include <map>

namespace popscope::outfeed {

class LossNotFalling : public Check {
public:
  const char *name() const override { return "loss_not_falling"; }
  const char *defaultTensors() const override { return "kind:loss"; }
  std::vector<Setting> settings() override {
    return {share("fall", fall_), count("updates", updates_),
            count("memory", memory_)};
  }
  std::vector<Violation> look(const UpdateObservations &update) override;
  std::string describe(const Violation &violation) const override;

private:
  struct State {
    RunningMean mean;
    double best = 0;
    Update bestAt{0};
  };

  double fall_ = 0.01;
  double updates_ = 500;
  double memory_ = 50;                  // samples
  std::map<std::size_t, State> states_; // by the number of the series
};

} // namespace popscope::outfeed
