// Part of the sequence of a layer whose cells are a program's own.
#pragma once

#include <popnn/Rnn.hpp>
#include <popops/Reduce.hpp>

#include <cstddef>
#include <vector>

namespace ipumodel {

// What is the same in all shards.
struct RnnLayer {
  poplar::Graph &graph;
  const popnn::rnn::RnnParams &params;
  bool reverse;
  popnn::rnn::StateSequence stateSequence;
  std::vector<poplar::Tensor> inputs;
  const poplar::Tensor *interimIn;
  poplar::Tensor *interimOut;
  unsigned numTemps; // for gatherFn
  std::vector<poplar::Tensor> outputs, created;
  popnn::rnn::LoopBodyType loopFn;
  std::vector<poplar::Tensor> gatherInputs;
  popnn::rnn::GatherBodyType gatherFn;
  unsigned stepsPerGather;
  poplar::DebugNameAndId name;
};

// Steps [begin, end) of the sequence.
class RnnShard {
public:
  RnnShard(const RnnLayer &layer, std::size_t begin, std::size_t end);
  // `shared` is the program for callbacks to add to.
  void add(std::vector<poplar::Tensor> &state, poplar::program::Sequence &prog,
           poplar::program::Sequence *shared);

private:
  poplar::Tensor constant(unsigned value);
  // How many steps of this shard the longest or the shortest sequence has.
  poplar::Tensor stepsOf(popops::Operation operation,
                         poplar::program::Sequence &prog);
  popnn::rnn::RnnBatchwiseFlags flags(poplar::program::Sequence &step);
  poplar::Tensor mine(const poplar::Tensor &sequence) const;
  popnn::rnn::RnnSlice slices(poplar::program::Sequence &step);
  // Writes a slice to a step of the sequence; `store` to this step.
  void put(const poplar::Tensor &slice, const poplar::Tensor &sequence,
           const poplar::Tensor &step, poplar::program::Sequence &prog);
  void store(const poplar::Tensor &slice, const poplar::Tensor &sequence,
             poplar::program::Sequence &prog);
  void store(const std::vector<poplar::Tensor> &state,
             const popnn::rnn::RnnSlice &slice,
             const std::vector<poplar::Tensor> &created,
             poplar::program::Sequence &step);
  // The buffer is filled from its end and full again every gathered_ steps; in
  // the end the first steps of the sequence are at its end.
  void gather(const poplar::Tensor &temps, poplar::program::Sequence &prog,
              poplar::program::Sequence &step, poplar::program::Sequence &after,
              poplar::program::Sequence *shared);
  // From this step on.
  poplar::program::Sequence gatherNow(const poplar::Tensor &temps,
                                      poplar::program::Sequence *shared);
  poplar::program::Sequence gatherFirst(const poplar::Tensor &temps,
                                        unsigned steps,
                                        poplar::program::Sequence *shared);

  const RnnLayer &l_;
  poplar::Graph &graph_;
  const unsigned begin_, steps_;
  const unsigned gathered_; // steps at once
  poplar::Tensor counter_;
};

} // namespace ipumodel
