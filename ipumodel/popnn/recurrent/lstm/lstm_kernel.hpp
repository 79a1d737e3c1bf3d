// The native operations of LSTMs: what has to be done step by step.
//
// T steps, B sequences, I the input size, H the output size. Gates are in the
// order of BasicLstmCellUnit. For each step and sequence, rows of H floats are
// kept: the four gates, the activated cell state, the cell state before the
// step, and, unless all outputs are results, the output.
#pragma once

#include "poplar/plan/native_kernel.hpp"
#include "popnn/recurrent/cell_activation.hpp"

namespace ipumodel {

constexpr std::size_t kLstmGates = 4;
constexpr std::size_t kLstmKept = 6; // without the output

// outputs [T,B,H] or [B,H], cell state [B,H], [kept [T,B,rows,H]]
//   <- inputs [T,B,I], weights of the outputs [H,4,H], biases [4,H], output
//      [B,H], cell state [B,H], [weights of the inputs [I,4,H]], [lengths].
struct LstmForward {
  static constexpr const char *kName = "popnn.lstmFwd";
  CellActivation activation, recurrentActivation;
  bool allOutputs;
  bool keepsStates;
  bool preservesState; // of sequences that end early
  bool weighsInputs;
  bool hasLengths;

  template <class Io> void fields(Io &io) {
    io.choice(activation, CellActivation::softmax);
    io.choice(recurrentActivation, CellActivation::softmax);
    io(allOutputs, keepsStates, preservesState, weighsInputs, hasLengths);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

// gradients of gates [T,B,4,H] before their non-linearities, of the initial
// output [B,H] and cell state [B,H]
//   <- kept [T,B,rows,H], weights [H,4,H], gradients of outputs [T,B,H] or
//      [B,H], [of the last output [B,H]], [of the last cell state [B,H]],
//      [lengths].
struct LstmBackward {
  static constexpr const char *kName = "popnn.lstmBwd";
  CellActivation activation, recurrentActivation;
  bool allOutputs;
  bool hasOutputGrad;
  bool hasStateGrad;
  bool hasLengths;

  template <class Io> void fields(Io &io) {
    io.choice(activation, CellActivation::softmax);
    io.choice(recurrentActivation, CellActivation::softmax);
    io(allOutputs, hasOutputGrad, hasStateGrad, hasLengths);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

} // namespace ipumodel
