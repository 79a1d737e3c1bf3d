// Operations that run as native code instead of vertices.
//
// A library adds one to a program with addNative() and registers a factory
// under its kernel's name; the plan builder calls the factory once per engine.
// Programs refer to kernels by name and store their parameters as bytes, so
// that they work in stored executables too.
#pragma once

#include "poplar/instruction.hpp"
#include "poplar/plan_builder.hpp"
#include "poplar/program_node.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace ipumodel {

// Appends an operation that writes `outputs` and reads `inputs`; a tensor
// updated in place is in both.
void addNative(poplar::program::Sequence &prog, const char *kernel,
               const std::vector<poplar::Tensor> &outputs,
               const std::vector<poplar::Tensor> &inputs, Bytes parameters,
               const poplar::DebugContext &debugContext);

// As part of a compute set, like a vertex: it sees the values from before the
// compute set started, and no other part writes to its outputs.
void addNative(poplar::Graph &graph, poplar::ComputeSet computeSet,
               const char *kernel, const std::vector<poplar::Tensor> &outputs,
               const std::vector<poplar::Tensor> &inputs, Bytes parameters,
               const poplar::DebugContext &debugContext);

using KernelFactory = InstructionPtr (*)(const NativeOp &op,
                                         const std::string &name,
                                         PlanBuilder &builder);

// Call while libraries load; a name registered twice is an error.
bool registerKernel(const char *name, KernelFactory factory);
// Throws link_error with the kernel's name if no loaded library has it.
KernelFactory findKernel(const std::string &name);

// Makes two operations, one right after the other, into one instruction with
// the steps of both and the same bits. Only the second uses the first one's
// output, which therefore need not be stored. Returns null if the two cannot be
// combined.
using PairFactory = InstructionPtr (*)(const ProgramNode &first,
                                       const ProgramNode &second,
                                       PlanBuilder &builder);

// Registered under the first one's kernel.
bool registerPair(const char *first, PairFactory factory);
PairFactory findPair(const std::string &first); // null if there is none

// A workspace: data one operation (the maker) saves so that a later one (the
// user) on the same tensors can skip work. Returns its size in bytes, or 0 if
// the two have none.
using WorkspaceSize = std::size_t (*)(const NativeOp &maker,
                                      const NativeOp &user);

// Registered under the user's kernel. See PlanBuilder::workspaceOf.
bool registerWorkspace(const char *user, WorkspaceSize size);
WorkspaceSize findWorkspace(const std::string &user); // null if there is none

// Parameters of a kernel, written and read field by field in the same order, so
// that equal operations have equal bytes.
class ParameterWriter {
public:
  template <class T> ParameterWriter &put(const T &value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    const char *first = reinterpret_cast<const char *>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(T));
    return *this;
  }
  template <class T> ParameterWriter &put(const std::vector<T> &values) {
    put(static_cast<std::uint64_t>(values.size()));
    for (const T value : values)
      put(value);
    return *this;
  }
  Bytes take() { return std::move(bytes_); }

private:
  Bytes bytes_;
};

class ParameterReader {
public:
  explicit ParameterReader(const Bytes &bytes) : bytes_(bytes) {}
  template <class T> T get() {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    T value;
    if (bytes_.size() - position_ < sizeof(T))
      fail();
    std::memcpy(&value, bytes_.data() + position_, sizeof(T));
    position_ += sizeof(T);
    return value;
  }
  template <class T> std::vector<T> getVector() {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() - position_)
      fail();
    std::vector<T> values;
    for (std::uint64_t i = 0; i < count; ++i)
      values.push_back(get<T>());
    return values;
  }

private:
  [[noreturn]] static void fail(); // the executable is damaged

  const Bytes &bytes_;
  std::size_t position_ = 0;
};

enum class Access { read, write, readWrite };

// A tensor as a kernel sees it: an array in row-major order of the view; in
// place if the elements have that order in memory, else copied to scratch
// memory.
class NativeOperand {
public:
  // Pass `view` with the dimensions in the order the kernel needs.
  NativeOperand(const View &view, std::size_t elementSize, Access access,
                PlanBuilder &builder, ScratchFrame &frame);

  char *at(const Replica &replica) const {
    return (staged_ ? replica.scratch : replica.memory).data() + offset_;
  }
  bool isStaged() const { return staged_; }
  void load(const Replica &replica, ThreadPool &pool) const;
  void store(const Replica &replica, ThreadPool &pool) const;

private:
  bool staged_;
  std::size_t offset_;
  CopyPlan gather_;
  CopyPlan scatter_;
};

// A kernel over whole operands. This class takes care of staging, replicas and
// counting; derived classes compute on the arrays. Results must not depend on
// the number of threads.
class NativeInstruction : public Instruction {
public:
  NativeInstruction(StepId step, std::vector<NativeOperand> operands)
      : step_(step), operands_(std::move(operands)) {}
  void run(ExecutionState &state) const final;

protected:
  // `operands` are in the order given to the constructor; `scratch` is the
  // replica's, for offsets taken from the frame.
  virtual void compute(char *const *operands, char *scratch,
                       ThreadPool &pool) const = 0;

private:
  StepId step_;
  std::vector<NativeOperand> operands_;
};

} // namespace ipumodel
