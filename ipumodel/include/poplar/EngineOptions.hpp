// Checked options of an engine.
#pragma once

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

namespace ipumodel {
struct OptionsAccess;
}

namespace poplar {

class EngineOptions {
public:
  // Throws invalid_option for an unknown option, a bad value, or runtime
  // replicas outside the replication factor.
  EngineOptions(const OptionFlags &flags, const Target &target,
                unsigned replicationFactor = 1);

private:
  friend struct ::ipumodel::OptionsAccess;

  OptionFlags flags_;
};

} // namespace poplar
