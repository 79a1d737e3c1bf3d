// Elements at the end of what their type can hold.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/streaks.hpp"

namespace popscope::outfeed {

class Saturation : public Check {
public:
  const char *name() const override { return "saturation"; }
  const char *defaultTensors() const override { return "dtype:half"; }
  std::vector<Setting> settings() override {
    return {share("saturated_share", saturatedShare_),
            count("samples", samples_)};
  }
  std::string tap() const override { return tensors().text() + " -> alarm"; }
  std::vector<Violation> look(const UpdateObservations &update) override;
  std::string describe(const Violation &violation) const override;

private:
  double saturatedShare_ = 0.01;
  double samples_ = 1; // in a row
  Streaks streaks_;
};

} // namespace popscope::outfeed
