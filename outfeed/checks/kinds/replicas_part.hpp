// Replicas whose weights are no longer the same.
#pragma once

#include "outfeed/checks/check.hpp"

#include <map>
#include <string>

namespace popscope::outfeed {

class ReplicasPart : public Check {
public:
  const char *name() const override { return "replicas_part"; }
  const char *defaultTensors() const override { return "kind:weight"; }
  std::vector<Setting> settings() override { return {}; }
  std::string tap() const override { return tensors().text() + " -> identity"; }
  bool isApplicable(const ProgramFacts &facts) const override {
    return facts.replicas > 1;
  }
  void begin(const ProgramFacts &facts) override {
    isNeeded_ = isApplicable(facts);
  }
  std::vector<Violation> look(const UpdateObservations &update) override;
  std::string describe(const Violation &violation) const override;
  std::string lacking() const override;

private:
  bool isNeeded_ = true;
  std::map<const Series *, std::string> texts_; // of the last look
};

} // namespace popscope::outfeed
