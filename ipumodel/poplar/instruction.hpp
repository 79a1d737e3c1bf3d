// A step of a compiled program. Made once by the plan builder; running one
// allocates nothing.
#pragma once

#include "poplar/execution_state.hpp"

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

// Programs share their parts, and so do their instructions.
using InstructionPtr = std::shared_ptr<const Instruction>;

} // namespace ipumodel
