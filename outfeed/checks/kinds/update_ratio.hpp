// Updates that are too small or too large for their weights.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/kinds/streaks.hpp"

namespace popscope::outfeed {

class UpdateRatio : public Check {
public:
  const char *name() const override { return "update_ratio"; }
  const char *defaultTensors() const override {
    return "kind:update & !name~bias";
  }
  std::vector<Setting> settings() override {
    return {positive("least", least_), positive("most", most_),
            count("samples", samples_)};
  }
  std::string tap() const override {
    return "(" + tensors().text() + ") | kind:weight -> stats";
  }
  std::vector<Violation> look(const UpdateObservations &update) override;
  std::string describe(const Violation &violation) const override;

private:
  double least_ = 1e-6;
  double most_ = 0.1;
  double samples_ = 10; // in a row, all on the same side
  Streaks below_, above_;
};

} // namespace popscope::outfeed
