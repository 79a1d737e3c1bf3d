// Operations that run as native code instead of vertices.
//
// An operator is a struct of its parameters:
//
//   struct Iota {
//     static constexpr const char *kName = "popops.iota";
//     std::uint32_t first;
//     template <class Io> void fields(Io &io) { io(first); }
//     InstructionPtr lower(const NativeOp &op, const std::string &name,
//                          PlanBuilder &builder) const;
//   };
//
// fields() names all parameters, for executables and comparison; without
// parameters there is none. An operator that works item by item of a batch has
// stage() instead of lower(), or both if stage() is for some of its forms only.
// What else the struct declares of join() and workspaceFrom(), as class
// Operator has them, the planner makes use of; profiles show its vertexType()
// and computeSetName(), else its kName.
#pragma once

#include "poplar/plan/plan_builder.hpp"
#include "poplar/program/program_node.hpp"
#include "poplar/run/instruction.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace ipumodel {

using StagePtr = Operator::StagePtr;
using JoinedPtr = Operator::JoinedPtr;

// The operation that replaces two.
struct Joined {
  NativeOp op;
  Step second; // for the profile, which has both
};

namespace traits {

template <class T, class = void> struct HasFields : std::false_type {};
template <class T>
struct HasFields<T, std::void_t<decltype(std::declval<T &>().fields(
                        std::declval<ParameterWriter &>()))>> : std::true_type {
};
template <class T, class = void> struct HasLower : std::false_type {};
template <class T>
struct HasLower<T, std::void_t<decltype(&T::lower)>> : std::true_type {};
template <class T, class = void> struct HasStage : std::false_type {};
template <class T>
struct HasStage<T, std::void_t<decltype(&T::stage)>> : std::true_type {};
template <class T, class = void> struct HasJoin : std::false_type {};
template <class T>
struct HasJoin<T, std::void_t<decltype(&T::join)>> : std::true_type {};
template <class T, class = void> struct HasWorkspace : std::false_type {};
template <class T>
struct HasWorkspace<T, std::void_t<decltype(&T::workspaceFrom)>>
    : std::true_type {};
template <class T, class = void> struct HasVertexType : std::false_type {};
template <class T>
struct HasVertexType<T, std::void_t<decltype(&T::vertexType)>>
    : std::true_type {};
template <class T, class = void> struct HasComputeSetName : std::false_type {};
template <class T>
struct HasComputeSetName<T, std::void_t<decltype(&T::computeSetName)>>
    : std::true_type {};

} // namespace traits

// An operation's stage as one instruction over the whole batch, on tensors of
// any layout; null if it has none.
InstructionPtr lowerByItems(const Operator &what, const NativeOp &op,
                            const std::string &name, PlanBuilder &builder);
// Of "popops.topK": "popops::TopK<float>", with the type of the output.
std::string defaultVertexType(const char *name, const NativeOp &op);
// Of "popops.topK": "topK".
std::string defaultComputeSetName(const char *name);

// An Operator from such a struct.
template <class T> class OperatorModel final : public Operator {
public:
  explicit OperatorModel(T value) : value_(std::move(value)) {
    static_cast<void>(kRegistered); // so that it is initialised
  }

  const T &value() const { return value_; }

  const char *name() const override { return T::kName; }
  std::string parameters() const override {
    ParameterWriter writer;
    if constexpr (traits::HasFields<T>::value)
      const_cast<T &>(value_).fields(writer); // which a writer does not change
    return writer.bytes();
  }
  std::string vertexType(const NativeOp &op) const override {
    if constexpr (traits::HasVertexType<T>::value)
      return value_.vertexType(op);
    else
      return defaultVertexType(T::kName, op);
  }
  std::string computeSetName(const NativeOp &op) const override {
    if constexpr (traits::HasComputeSetName<T>::value)
      return value_.computeSetName(op);
    else
      return defaultComputeSetName(T::kName);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const override {
    static_assert(traits::HasStage<T>::value || traits::HasLower<T>::value);
    if constexpr (traits::HasStage<T>::value)
      if (InstructionPtr byItems = lowerByItems(*this, op, name, builder))
        return byItems;
    if constexpr (traits::HasLower<T>::value)
      return value_.lower(op, name, builder);
    else
      throw std::logic_error(std::string(T::kName) + " cannot be lowered");
  }
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const override {
    if constexpr (traits::HasStage<T>::value)
      return value_.stage(op, name, operands);
    return nullptr;
  }
  JoinedPtr join(const ProgramNode &own, const ProgramNode &next,
                 const PlanBuilder &builder) const override {
    if constexpr (traits::HasJoin<T>::value)
      return value_.join(own, next, builder);
    return nullptr;
  }
  bool mayJoin() const override { return traits::HasJoin<T>::value; }
  std::size_t workspaceFrom(const NativeOp &maker,
                            const NativeOp &own) const override {
    if constexpr (traits::HasWorkspace<T>::value)
      return value_.workspaceFrom(maker, own);
    return 0;
  }
  bool mayHaveWorkspace() const override {
    return traits::HasWorkspace<T>::value;
  }

private:
  static OperatorPtr read(ParameterReader &reader) {
    T value = Blank<T>::make();
    if constexpr (traits::HasFields<T>::value)
      value.fields(reader);
    return std::make_shared<OperatorModel>(std::move(value));
  }

  static inline const bool kRegistered = registerOperator(T::kName, read);

  T value_;
};

// The operator's struct, or null if it is another operator.
template <class T> const T *operatorAs(const NativeOp &op) {
  return std::strcmp(op.what->name(), T::kName) == 0
             ? &static_cast<const OperatorModel<T> &>(*op.what).value()
             : nullptr;
}

// Appends an operation that writes `outputs` and reads `inputs`; a tensor
// updated in place is in both.
void addNativeOp(poplar::program::Sequence &prog, OperatorPtr what,
                 const std::vector<poplar::Tensor> &outputs,
                 const std::vector<poplar::Tensor> &inputs,
                 const poplar::DebugContext &debugContext);
template <class T>
void addNative(poplar::program::Sequence &prog, T what,
               const std::vector<poplar::Tensor> &outputs,
               const std::vector<poplar::Tensor> &inputs,
               const poplar::DebugContext &debugContext) {
  addNativeOp(prog, std::make_shared<OperatorModel<T>>(std::move(what)),
              outputs, inputs, debugContext);
}

// As part of a compute set, like a vertex: it sees the values from before the
// compute set started, and no other part writes to its outputs.
void addNativeOp(poplar::Graph &graph, poplar::ComputeSet computeSet,
                 OperatorPtr what, const std::vector<poplar::Tensor> &outputs,
                 const std::vector<poplar::Tensor> &inputs,
                 const poplar::DebugContext &debugContext);
template <class T>
void addNative(poplar::Graph &graph, poplar::ComputeSet computeSet, T what,
               const std::vector<poplar::Tensor> &outputs,
               const std::vector<poplar::Tensor> &inputs,
               const poplar::DebugContext &debugContext) {
  addNativeOp(graph, computeSet,
              std::make_shared<OperatorModel<T>>(std::move(what)), outputs,
              inputs, debugContext);
}

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
  // Throws if there are more operands than a kernel can have.
  NativeInstruction(StepId step, std::vector<NativeOperand> operands);
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
