// Options of an engine, checked.
#pragma once

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

namespace ipumodel {
struct OptionsAccess;
}

namespace poplar {

class EngineOptions {
public:
  // Throws invalid_option for an unknown option or a bad value, and for a
  // range of runtime replicas outside the replication factor.
  EngineOptions(const OptionFlags &flags, const Target &target,
                unsigned replicationFactor = 1);

private:
  friend struct ::ipumodel::OptionsAccess;

  OptionFlags flags_;
};

} // namespace poplar
