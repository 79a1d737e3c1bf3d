// What libpopdist asks of an engine.
#pragma once

#include <poplar/Engine.hpp>

#include <string>

namespace ipumodel {

struct EngineAccess {
  // Waits until all instances are about to run this program. Does nothing if
  // the engine runs all replicas.
  static void startTogether(poplar::Engine &engine, unsigned program,
                            const std::string &name);
};

} // namespace ipumodel
