// Layers whose ReLU lets nothing through.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/kinds/streaks.hpp"

namespace popscope::outfeed {

class DeadRelu : public Check {
public:
  const char *name() const override { return "dead_relu"; }
  const char *defaultTensors() const override { return "kind:activation"; }
  std::vector<Setting> settings() override {
    return {share("zero_share", zeroShare_), count("samples", samples_)};
  }
  std::vector<Violation> look(const UpdateObservations &update) override;
  std::string describe(const Violation &violation) const override;

private:
  double zeroShare_ = 0.99;
  double samples_ = 10; // in a row
  Streaks streaks_;
};

} // namespace popscope::outfeed
