// The native operations of GRUs: what has to be done step by step.
//
// T steps, B sequences, I the input size, H the output size. Gates are in the
// order of BasicGruCellUnit. For each step and sequence, rows of H floats are
// kept: the two gates, the candidate, the output unless all outputs are
// results, and, if the reset comes after the product, the product.
#pragma once

#include "poplar/plan/native_kernel.hpp"
#include "popnn/recurrent/cell_activation.hpp"

namespace ipumodel {

constexpr std::size_t kGruUnits = 3;

// What both directions have to know.
struct GruCell {
  CellActivation activation, recurrentActivation;
  bool resetAfter;
  bool allOutputs;
  bool hasAttention;
  bool hasLengths;

  std::size_t outputRow() const { return kGruUnits; }
  std::size_t productRow() const { return kGruUnits + (allOutputs ? 0 : 1); }
  std::size_t rowsKept() const { return productRow() + (resetAfter ? 1 : 0); }

  template <class Io> void fields(Io &io) {
    io.choice(activation, CellActivation::softmax);
    io.choice(recurrentActivation, CellActivation::softmax);
    io(resetAfter, allOutputs, hasAttention, hasLengths);
  }
};

// outputs [T,B,H] or [B,H], [kept [T,B,rows,H]]
//   <- inputs [T,B,I], weights of the inputs [I,3,H] and of the outputs
//      [H,3,H], biases [3,1,H] or, if the reset comes after the product,
//      [3,2,H], output [B,H], [attention [B,T]], [lengths].
struct GruForward {
  static constexpr const char *kName = "popnn.gruFwd";
  GruCell cell;
  bool keepsStates;

  template <class Io> void fields(Io &io) {
    cell.fields(io);
    io(keepsStates);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

// gradients of gates [T,B,3,H] before their non-linearities, of the initial
// output [B,H], [of the attention [B,T]]
//   <- kept [T,B,rows,H], weights [H,3,H], outputs [T,B,H], initial output
//      [B,H], gradients of outputs [T,B,H] or [B,H], [attention [B,T]],
//      [lengths].
struct GruBackward {
  static constexpr const char *kName = "popnn.gruBwd";
  GruCell cell;

  template <class Io> void fields(Io &io) { cell.fields(io); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

} // namespace ipumodel
