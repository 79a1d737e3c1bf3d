// What recurrent layers have in common: their parameters and their tensors.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace popnn {
namespace rnn {

struct RnnParams {
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t maxTimeSteps;
  std::size_t timeSteps; // the same as maxTimeSteps, and not used
  // UNSIGNED_INT: the length of each sequence [batch], or of all [1]. If it is
  // not valid, all have the maximum.
  poplar::Tensor varTimeSteps;
  // Input size and output size.
  std::vector<std::size_t> layerSizes;

  RnnParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
            std::vector<std::size_t> layerSizes);
  RnnParams(poplar::Type dataType, std::size_t batchSize,
            std::size_t maxTimeSteps, const poplar::Tensor &varTimeSteps,
            std::vector<std::size_t> layerSizes);

  // How many disjoint sets of tiles could hold one step each.
  std::size_t getMaxShards(const poplar::Graph &graph) const;
  // Of one step.
  std::size_t getInputBytesPerTile(const poplar::Graph &graph) const;
  std::size_t getOutputBytesPerTile(const poplar::Graph &graph) const;

  bool variableTimeSteps() const;
  bool batchVariableTimeSteps() const; // a length for each sequence
};

// [multiple, batch, input or output size], once for each shard.
poplar::Tensor
createInitialState(poplar::Graph &graph, const RnnParams &params, bool isOutput,
                   unsigned multiple, unsigned numShards,
                   const poplar::DebugContext &debugContext = {});

// Sequences [steps, batch, size].
poplar::Tensor
createRecurrentTensor(poplar::Graph &graph, const RnnParams &params,
                      unsigned size, unsigned numShards,
                      const poplar::DebugContext &debugContext = {});
poplar::Tensor createInputTensor(poplar::Graph &graph, const RnnParams &params,
                                 unsigned numShards,
                                 const poplar::DebugContext &debugContext = {});
poplar::Tensor
createOutputTensor(poplar::Graph &graph, const RnnParams &params,
                   unsigned numShards,
                   const poplar::DebugContext &debugContext = {});
// [multiple * steps, batch, output size].
poplar::Tensor
createOutputTensor(poplar::Graph &graph, const RnnParams &params,
                   unsigned multiple, unsigned numShards,
                   const poplar::DebugContext &debugContext = {});

// The sequence one step later: `tSingle`, then all of `tBase` but its last.
poplar::Tensor shiftRnnTensor(poplar::Graph &graph, const RnnParams &params,
                              const poplar::Tensor &tBase,
                              const poplar::Tensor &tSingle,
                              poplar::program::Sequence &prog,
                              unsigned numShards,
                              const poplar::DebugContext &debugContext = {});

// What a cell reads and writes in one step: the step of every sequence.
struct RnnSlice {
  std::vector<poplar::Tensor> inputs;  // [batch, size]
  poplar::Tensor interimIn;            // [number, batch, size]
  poplar::Tensor interimOut;           // the same
  std::vector<poplar::Tensor> outputs; // [multiple, batch, size]
};

// 1 and 0 for each sequence of the batch, [batch] of the data type: whether it
// has this step. Valid if each sequence has a length.
struct RnnBatchwiseFlags {
  poplar::Tensor mask;
  poplar::Tensor inverse;

  bool valid() const { return mask.valid(); }
};

// UNSIGNED_INT [1]: the first step of the shard, and the step from there. BOOL
// []: whether a sequence may have ended; valid if sequences have lengths.
struct TimeStepState {
  poplar::Tensor begin;
  poplar::Tensor counter;
  poplar::Tensor variableSeqFlag;
};

// Returns the program of one step, in which the state is changed in place, and
// sets the tensors it makes itself. The program that is pointed to runs before
// all steps; it is null for all shards but the first.
using LoopBodyType = std::function<poplar::program::Sequence(
    poplar::Graph &graph, const TimeStepState &time, const RnnBatchwiseFlags &,
    std::vector<poplar::Tensor> &, const RnnSlice &slice,
    std::vector<poplar::Tensor> &, poplar::program::Sequence *,
    const poplar::DebugNameAndId &)>;

// Returns a program for some steps at once: inputs [steps * batch, size],
// interimIn [steps * number, batch, size].
using GatherBodyType = std::function<poplar::program::Sequence(
    poplar::Graph &graph, const RnnSlice &slice, unsigned stepsPerGather,
    poplar::program::Sequence *, const poplar::DebugNameAndId &)>;

// Stores a state after each step: [steps * multiple, batch, size].
struct StateSequence {
  poplar::Tensor output;
  std::size_t stateIndex;
};

// A layer of cells of one's own. States are [multiple, batch, size], inputs
// [steps, batch, size], interims [steps, number, batch, size], outputs and
// created tensors [steps * multiple, batch, size]. With lengths, only as many
// steps run as the longest sequence has, and what they do not write keeps its
// values. Returns the last states. Shards are parts of the sequence, each with
// a body of its own; the option `codeReuse` changes nothing here.
std::vector<poplar::Tensor>
Rnn(poplar::Graph &graph, const RnnParams &params, bool reverse,
    const std::vector<poplar::Tensor> &initState,
    const StateSequence &stateSequence,
    const std::vector<poplar::Tensor> &inputs, const poplar::Tensor *interimIn,
    poplar::Tensor *interimOut, const std::vector<poplar::Tensor> &outputs,
    const std::vector<poplar::Tensor> &created, poplar::program::Sequence &prog,
    const LoopBodyType &loopFn, unsigned numShards,
    poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});

// The same from the last step to the first. What the body writes to interimOut,
// `numTemps` tensors [batch, output size], is collected for gatherFn, which
// runs every `stepsPerGather` steps and for those that are left in the end.
// Steps that no sequence has are zero there.
std::vector<poplar::Tensor>
Rnn(poplar::Graph &graph, const RnnParams &params,
    const std::vector<poplar::Tensor> &initState,
    const StateSequence &stateSequence,
    const std::vector<poplar::Tensor> &inputs, const poplar::Tensor &interimIn,
    const unsigned numTemps, poplar::program::Sequence &prog,
    const LoopBodyType &loopFn, const std::vector<poplar::Tensor> &gatherInputs,
    const GatherBodyType &gatherFn, unsigned numShards, unsigned stepsPerGather,
    poplar::OptionFlags &options,
    const poplar::DebugContext &debugContext = {});

} // namespace rnn
} // namespace popnn
