// Weights that no update changes.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/kinds/streaks.hpp"

#include <map>

namespace popscope::outfeed {

class FrozenWeight : public Check {
public:
  const char *name() const override { return "frozen_weight"; }
  const char *defaultTensors() const override { return "kind:weight"; }
  std::vector<Setting> settings() override {
    return {count("samples", samples_)};
  }
  std::vector<Violation> look(const UpdateObservations &update) override;
  std::string describe(const Violation &violation) const override;

private:
  double samples_ = 10; // in a row, each equal to the one before
  Streaks streaks_;
  std::map<std::size_t, Observation> last_; // by the number of the series
};

} // namespace popscope::outfeed
