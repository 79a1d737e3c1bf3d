// Operations that run as native code instead of vertices. A library registers
// a factory per kernel name; programs refer to kernels by name, so that stored
// executables find them again.
#pragma once

#include "poplar/instruction.hpp"
#include "poplar/plan_builder.hpp"
#include "poplar/program_node.hpp"

#include <string>

namespace ipumodel {

using KernelFactory = InstructionPtr (*)(const NativeOp &op,
                                         const std::string &name,
                                         PlanBuilder &builder);

// Call while libraries load; a name registered twice is an error.
bool registerKernel(const char *name, KernelFactory factory);
// Throws link_error naming a kernel that no loaded library has.
KernelFactory findKernel(const std::string &name);

} // namespace ipumodel
