// What a native operation does, apart from the tensors it works on.
//
// A library writes an operator as a small struct of its parameters and gives it
// to addNative (plan/native_kernel.hpp), which tells what such a struct has.
// Here it is a value that programs hold: it can be compared, stored in an
// executable, and asked how it runs.
#pragma once

#include "poplar/base/binary_io.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

namespace ipumodel {

class BatchStage;
class Instruction;
class PlanBuilder;
class StageOperands;
struct Joined;
struct NativeOp;
struct ProgramNode;

class ParameterWriter : public BinaryWriter<ParameterWriter> {};

class ParameterReader : public BinaryReader<ParameterReader> {
public:
  using BinaryReader::BinaryReader;
};

class Operator {
public:
  using InstructionPtr = std::shared_ptr<const Instruction>;
  using StagePtr = std::shared_ptr<BatchStage>;
  using JoinedPtr = std::shared_ptr<const Joined>;

  Operator() = default;
  Operator(const Operator &) = delete;
  Operator &operator=(const Operator &) = delete;
  virtual ~Operator() = default;

  // Unique among all libraries. Equal operators have equal names and
  // parameters.
  virtual const char *name() const = 0;
  virtual std::string parameters() const = 0;

  // For profiles and listings: the vertex that PopLibs has on the tiles for
  // this, and the last part of the name of its compute set.
  virtual std::string vertexType(const NativeOp &op) const = 0;
  virtual std::string computeSetName(const NativeOp &op) const = 0;

  // As one instruction.
  virtual InstructionPtr lower(const NativeOp &op, const std::string &name,
                               PlanBuilder &builder) const = 0;
  // Item by item of a batch; null if it cannot be done so.
  virtual StagePtr stage(const NativeOp &op, const std::string &name,
                         StageOperands &operands) const = 0;

  // One operation instead of this one and the one right after it, with the same
  // bits. Only the second uses this one's output, which therefore need not be
  // stored. Null if they cannot be joined.
  virtual JoinedPtr join(const ProgramNode &own, const ProgramNode &next,
                         const PlanBuilder &builder) const = 0;
  virtual bool mayJoin() const = 0; // false if join never succeeds

  // A workspace is what an earlier operation, the maker, saves so that this one
  // on the same tensors can skip work: its size in bytes, or 0 if the two have
  // none. Asked of operations that have a variable in common. See
  // PlanBuilder::workspaceOf.
  virtual std::size_t workspaceFrom(const NativeOp &maker,
                                    const NativeOp &own) const = 0;
  virtual bool mayHaveWorkspace() const = 0; // false if it is always 0
};

using OperatorPtr = std::shared_ptr<const Operator>;

bool operator==(const Operator &a, const Operator &b);

using OperatorReader = OperatorPtr (*)(ParameterReader &reader);

// Called while libraries load; a name registered twice is an error.
bool registerOperator(const char *name, OperatorReader reader);
// An operator that no loaded library has can be stored again, but not lowered.
OperatorPtr readOperator(const std::string &name,
                         const std::string &parameters);

} // namespace ipumodel
