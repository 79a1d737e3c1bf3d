// Elements at the end of what their type can hold.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/kinds/streaks.hpp"

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
  void begin(const ProgramFacts &facts) override {
    for (const TensorTraits &tensor : facts.tensors)
      isNeeded_ = isNeeded_ || tensors().matches(tensor);
  }
  std::vector<Violation> look(const UpdateObservations &update) override;
  std::string describe(const Violation &violation) const override;
  std::string lacking() const override {
    return isNeeded_ ? Check::lacking() : "";
  }

private:
  double saturatedShare_ = 0.01;
  double samples_ = 1; // in a row
  bool isNeeded_ = false;
  Streaks streaks_;
};

} // namespace popscope::outfeed
