// Values far above their running mean.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/kinds/running_mean.hpp"

#include <map>

namespace popscope::outfeed {

class Spike : public Check {
public:
  const char *name() const override { return "spike"; }
  const char *defaultTensors() const override {
    return "kind:loss | kind:gradient & at:accumulated";
  }
  std::vector<Setting> settings() override {
    return {factor("factor", factor_), count("memory", memory_),
            count("warm_up", warmUp_)};
  }
  std::vector<Violation> look(const UpdateObservations &update) override;
  std::string describe(const Violation &violation) const override;

private:
  double factor_ = 10;
  double memory_ = 50; // samples
  double warmUp_ = 20; // samples before the first that may be a spike
  std::map<std::size_t, RunningMean> means_; // by the number of the series
};

} // namespace popscope::outfeed
