// Runs a MapProgram on blocks of elements.
#pragma once

#include "poplar/plan/plan_builder.hpp"
#include "poplar/program/program_node.hpp"
#include "popops/map/map_layout.hpp"
#include "popops/map/map_program.hpp"

#include <array>
#include <vector>

namespace ipumodel {

// Values are in registers: arrays of one block. Steps whose operands are the
// same for all elements run once per task, all others once per block.
class MapInterpreter {
public:
  // `isUniform` says which inputs repeat one element. With `writesInPlace`,
  // outputs may be inputs with exactly the same layout.
  MapInterpreter(const NativeOp &op, MapProgram program,
                 const std::vector<bool> &isUniform, bool writesInPlace);

  // The operands of the layout are the outputs, then the inputs; their offsets
  // are relative to `bases`.
  void runTask(const MapLayout &layout, std::size_t task,
               char *const *bases) const;
  // Estimated as if all tiles had an equal share and computed two elements per
  // cycle and step of the program.
  ipumodel::Step profile(const std::string &name, std::size_t elements,
                         const PlanBuilder &builder) const;

private:
  static constexpr std::uint32_t kNone = ~std::uint32_t(0);

  // A tensor of the operation.
  struct Port {
    std::uint32_t value; // in the program
    std::size_t size;    // of an element in memory
    bool isHalf;         // in memory; a float in a register
    std::uint32_t reg;
  };
  struct Step {
    Primitive run;
    unsigned arity;
    std::array<std::uint32_t, kMaxArity> args;
    std::uint32_t value;
  };
  struct Task;

  std::vector<bool> findUsed(const MapProgram &program) const;
  void allocate(const MapProgram &program, const std::vector<bool> &used);
  void fillConstants(const MapProgram &program);
  void runDirectly(const MapLayout &layout, std::size_t task,
                   char *const *bases) const;
  void loadUniform(const Port &port, std::size_t count, const char *from,
                   Task &task) const;
  void load(const Port &port, const BlockOperand &operand,
            const MapBlock &block, const char *from, Task &task) const;
  void store(const Port &port, const BlockOperand &operand,
             const MapBlock &block, char *to, Task &task) const;

  std::vector<Port> outputs_, inputs_;
  std::vector<bool> uniform_; // by value
  std::vector<Step> prologue_, steps_;
  std::vector<std::uint32_t> registers_; // by value; kNone if it needs none
  // By value: the output that the value's step may write to directly.
  std::vector<std::uint32_t> directOutput_;
  std::vector<std::vector<char>> constants_; // by value; one block each
  std::size_t numRegisters_ = 1;             // the first is for conversions
  std::size_t registerBytes_ = 0;
  // The program is a single step from inputs to the output, without
  // conversions.
  bool isDirect_ = false;
};

} // namespace ipumodel
