// One or several expressions as steps over arrays.
#pragma once

#include "poplar/graph/graph_data.hpp"
#include "popops/map/map_primitives.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/Expr.hpp>

#include <array>
#include <initializer_list>
#include <ostream>
#include <unordered_map>
#include <vector>

namespace ipumodel {

// Values are numbered: first the inputs, then the constants, then the results
// of the steps.
struct MapProgram {
  struct Constant {
    Lane lane;
    std::uint64_t bits; // the value as a Lane, starting at the first byte
  };
  struct Step {
    MapOp op;
    std::uint8_t code;
    Lane lane;   // of the operands, except the condition of a Select
    Lane result; // of the value
    std::array<std::uint32_t, kMaxArity> args;
  };

  std::uint32_t numInputs = 0;
  std::vector<Constant> constants;
  std::vector<Step> steps;
  std::vector<std::uint32_t> outputs;

  std::uint32_t firstStep() const {
    return numInputs + static_cast<std::uint32_t>(constants.size());
  }
};

unsigned arityOf(const MapProgram::Step &step);
// Whether it is that operation of two floats.
bool isFloatOp(const MapProgram::Step &step, popops::expr::BinaryOpType op);
// Throws poplar_error if a step refers to something that is not there.
void checkReferences(const MapProgram &program);
std::ostream &operator<<(std::ostream &os, const MapProgram &program);

// A value while a program is being built.
struct MapValue {
  enum class Kind { input, constant, step };
  Kind kind;
  std::uint32_t index; // among those of its kind
  poplar::Type type;
};

// Builds programs. Equal steps are computed once. Operations throw
// poplibs_error for types they are not defined for.
class MapBuilder {
public:
  explicit MapBuilder(const std::vector<poplar::Type> &inputs)
      : inputs_(inputs), isUsed_(inputs.size()) {}

  MapValue input(std::size_t index);
  MapValue constant(const poplar::Type &type, const poplar::TypeTraits &traits,
                    const void *value);
  MapValue constant(const poplar::Type &type, float value);

  MapValue apply(popops::expr::UnaryOpType op, const MapValue &a);
  MapValue apply(popops::expr::BinaryOpType op, const MapValue &a,
                 const MapValue &b);
  MapValue apply(popops::expr::TernaryOpType op, const MapValue &a,
                 const MapValue &b, const MapValue &c);
  MapValue cast(const MapValue &a, const poplar::Type &type);
  // A FLOAT: `a`, or the nearest half if that is within `tolerance` of it.
  MapValue snapToHalf(const MapValue &a, float tolerance);
  // Adds the steps of an expression over the inputs.
  MapValue evaluate(const popops::expr::Expr &expr);

  void output(const MapValue &value) { outputs_.push_back(value); }
  // The program; it has only the inputs that are used.
  MapProgram finish() const;
  bool isUsed(std::size_t input) const { return isUsed_[input]; }

private:
  MapValue addStep(MapOp op, unsigned code, const char *name, poplar::Type type,
                   std::initializer_list<MapValue> args);
  MapValue evaluate(const popops::expr::Expr &expr,
                    const std::unordered_map<const popops::expr::Expr *,
                                             poplar::Type> &constants);
  MapValue roundedToType(const MapValue &value, bool isExact);

  struct Step {
    MapProgram::Step step;
    std::array<MapValue, 3> args;
  };
  std::uint32_t number(const MapValue &value) const;

  std::vector<poplar::Type> inputs_;
  std::vector<bool> isUsed_; // by input
  std::vector<MapProgram::Constant> constants_;
  std::vector<Step> steps_;
  std::vector<MapValue> outputs_;
};

// Appends one pass over the data that writes each output of the program. The
// outputs have equal shapes, to which `inputs` are broadcast.
void addMap(poplar::program::Sequence &prog, const MapBuilder &builder,
            const std::vector<poplar::Tensor> &outputs,
            const std::vector<poplar::Tensor> &inputs,
            const poplar::DebugContext &debugContext);
// As part of a compute set.
void addMap(poplar::Graph &graph, poplar::ComputeSet computeSet,
            const MapBuilder &builder,
            const std::vector<poplar::Tensor> &outputs,
            const std::vector<poplar::Tensor> &inputs,
            const poplar::DebugContext &debugContext);

} // namespace ipumodel
