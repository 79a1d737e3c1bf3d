// A step of a compiled program. The plan builder makes it once; running it does
// not allocate.
#pragma once

#include "poplar/run/execution_state.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace ipumodel {

class Instruction {
public:
  Instruction() = default;
  Instruction(const Instruction &) = delete;
  Instruction &operator=(const Instruction &) = delete;
  virtual ~Instruction() = default;
  virtual void run(ExecutionState &state) const = 0;
};

// Shared, because programs share their parts.
using InstructionPtr = std::shared_ptr<const Instruction>;

} // namespace ipumodel
