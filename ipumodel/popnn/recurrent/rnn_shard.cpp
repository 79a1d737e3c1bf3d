#include "popnn/recurrent/rnn_shard.hpp"

#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace ipumodel {

using poplar::Tensor;
using poplar::UNSIGNED_INT;
using poplar::program::Copy;
using poplar::program::Sequence;
using popnn::rnn::RnnBatchwiseFlags;
using popnn::rnn::RnnSlice;
namespace pe = popops::expr;

RnnShard::RnnShard(const RnnLayer &layer, std::size_t begin, std::size_t end)
    : l_(layer), graph_(layer.graph), begin_(static_cast<unsigned>(begin)),
      steps_(static_cast<unsigned>(end - begin)),
      gathered_(std::min(layer.stepsPerGather, steps_)) {
  counter_ = graph_.addVariable(UNSIGNED_INT, {1}, {l_.name, "counter"});
  graph_.setTileMapping(counter_, 0);
}

void RnnShard::add(std::vector<Tensor> &state, Sequence &prog,
                   Sequence *shared) {
  const bool hasLengths = l_.params.variableTimeSteps();
  Tensor limit, surely; // steps of the longest and of the shortest sequence
  if (hasLengths) {
    limit = stepsOf(popops::Operation::MAX, prog);
    surely = stepsOf(popops::Operation::MIN, prog);
  } else {
    limit = constant(steps_);
  }
  prog.add(Copy(l_.reverse ? limit : constant(0), counter_));
  if (l_.reverse)
    popops::subInPlace(graph_, counter_, constant(1), prog, l_.name);

  Sequence step, after;
  popnn::rnn::TimeStepState time{constant(begin_), counter_, Tensor()};
  if (hasLengths)
    time.variableSeqFlag =
        popops::gteq(graph_, counter_, surely, step, l_.name).reshape({});
  RnnSlice slice = slices(step);
  std::vector<Tensor> created(l_.created.size());
  step.add(l_.loopFn(graph_, time, flags(step), state, slice, created, shared,
                     {l_.name, "step"}));
  store(state, slice, created, step);
  if (l_.gatherFn)
    gather(slice.interimOut, prog, step, after, shared);
  // Downwards it is not below the limit after 0 either.
  const unsigned by = l_.reverse ? std::numeric_limits<unsigned>::max() : 1;
  popops::addInPlace(graph_, counter_, constant(by), step, l_.name);
  if (hasLengths) {
    Sequence condition;
    const Tensor goesOn =
        popops::lt(graph_, counter_, limit, condition, l_.name).reshape({});
    prog.add(poplar::program::RepeatWhileTrue(condition, goesOn, step,
                                              {l_.name, "steps"}));
  } else {
    prog.add(poplar::program::Repeat(steps_, step, {l_.name, "steps"}));
  }
  prog.add(after);
}

Tensor RnnShard::constant(unsigned value) {
  const Tensor t = graph_.addConstant(UNSIGNED_INT, {1}, value, l_.name);
  graph_.setTileMapping(t, 0);
  return t;
}

Tensor RnnShard::stepsOf(popops::Operation operation, Sequence &prog) {
  const Tensor length =
      popops::cast(graph_,
                   popops::reduce(graph_,
                                  popops::cast(graph_, l_.params.varTimeSteps,
                                               poplar::INT, prog, l_.name),
                                  {0}, operation, prog, l_.name),
                   UNSIGNED_INT, prog, l_.name);
  return popops::map(
      graph_,
      pe::Select(pe::Const(0u),
                 pe::Min(pe::_1 - pe::Const(begin_), pe::Const(steps_)),
                 pe::_1 < pe::Const(begin_)),
      {length.reshape({1})}, prog, l_.name);
}

RnnBatchwiseFlags RnnShard::flags(Sequence &step) {
  const Tensor &lengths = l_.params.varTimeSteps;
  if (!l_.params.batchVariableTimeSteps())
    return {};
  const auto has = pe::_1 > pe::_2 + pe::Const(begin_);
  const auto flag = [&](const pe::Expr &expr) {
    return popops::map(graph_, pe::Cast(expr, l_.params.dataType),
                       {lengths, counter_}, step, l_.name);
  };
  return {flag(has), flag(!has)};
}

Tensor RnnShard::mine(const Tensor &sequence) const {
  return sequence.slice(begin_, begin_ + steps_);
}

RnnSlice RnnShard::slices(Sequence &step) {
  const auto take = [&](const Tensor &sequence) {
    return popops::dynamicSlice(graph_, mine(sequence), counter_, {0}, {1},
                                step, {l_.name, "slice"})[0];
  };
  RnnSlice slice;
  for (const Tensor &input : l_.inputs)
    slice.inputs.push_back(input.valid() ? take(input) : Tensor());
  if (l_.interimIn && l_.interimIn->valid())
    slice.interimIn = take(*l_.interimIn);
  if (l_.interimOut)
    slice.interimOut =
        graph_.clone((*l_.interimOut)[0], {l_.name, "interimOut"});
  else if (l_.numTemps > 0)
    slice.interimOut = popnn::rnn::createInitialState(
        graph_, l_.params, true, l_.numTemps, 1, {l_.name, "temps"});
  for (const Tensor &output : l_.outputs)
    slice.outputs.push_back(
        graph_.clone(output.slice(0, output.dim(0) / l_.params.maxTimeSteps),
                     {l_.name, "output"}));
  return slice;
}

void RnnShard::put(const Tensor &slice, const Tensor &sequence,
                   const Tensor &step, Sequence &prog) {
  popops::dynamicUpdate(graph_, sequence, slice.expand({0}), step, {0}, {1},
                        prog, {l_.name, "update"});
}

void RnnShard::store(const Tensor &slice, const Tensor &sequence,
                     Sequence &prog) {
  const Tensor steps =
      sequence.rank() == slice.rank()
          ? sequence.reshapePartial(
                0, 1, {sequence.dim(0) / slice.dim(0), slice.dim(0)})
          : sequence;
  put(slice, mine(steps), counter_, prog);
}

void RnnShard::store(const std::vector<Tensor> &state, const RnnSlice &slice,
                     const std::vector<Tensor> &created, Sequence &step) {
  if (l_.interimOut)
    store(slice.interimOut, *l_.interimOut, step);
  if (l_.stateSequence.output.valid())
    store(state[l_.stateSequence.stateIndex], l_.stateSequence.output, step);
  for (std::size_t i = 0; i < slice.outputs.size(); ++i)
    store(slice.outputs[i], l_.outputs[i], step);
  for (std::size_t i = 0; i < created.size(); ++i) {
    if (!created[i].valid())
      throw poputil::poplibs_error("Rnn: loopFn has not set tensor " +
                                   std::to_string(i) + " of those it creates");
    store(created[i], l_.created[i], step);
  }
}

void RnnShard::gather(const Tensor &temps, Sequence &prog, Sequence &step,
                      Sequence &after, Sequence *shared) {
  if (gathered_ == 1) {
    step.add(gatherNow(temps, shared));
    return;
  }
  const unsigned left = steps_ % gathered_;
  const Tensor position = popops::map(
      graph_, (pe::_1 + pe::Const(gathered_ - left)) % pe::Const(gathered_),
      {counter_}, step, l_.name);
  const Tensor buffer = popnn::rnn::createInitialState(
      graph_, l_.params, true, gathered_ * l_.numTemps, 1,
      {l_.name, "gathered"});
  popops::zero(graph_, buffer, prog, l_.name);
  const Tensor parts = buffer.reshapePartial(0, 1, {gathered_, l_.numTemps});
  put(temps, parts, position, step);
  if (gathered_ == steps_) {
    after.add(gatherFirst(buffer, steps_, shared));
    return;
  }
  const Tensor isFull =
      popops::eq(graph_, position, constant(0), step, l_.name).reshape({});
  step.add(poplar::program::If(isFull, gatherNow(buffer, shared), Sequence(),
                               l_.name));
  if (left > 0)
    after.add(gatherFirst(
        parts.slice(gathered_ - left, gathered_).flatten(0, 2), left, nullptr));
}

Sequence RnnShard::gatherNow(const Tensor &temps, Sequence *shared) {
  Sequence prog;
  RnnSlice slice;
  for (const Tensor &input : l_.gatherInputs)
    slice.inputs.push_back(popops::dynamicSlice(graph_, mine(input), counter_,
                                                {0}, {gathered_}, prog,
                                                {l_.name, "slice"})
                               .flatten(0, 2));
  slice.interimIn = temps;
  prog.add(l_.gatherFn(graph_, slice, gathered_, shared, {l_.name, "gather"}));
  return prog;
}

Sequence RnnShard::gatherFirst(const Tensor &temps, unsigned steps,
                               Sequence *shared) {
  RnnSlice slice;
  for (const Tensor &input : l_.gatherInputs)
    slice.inputs.push_back(mine(input).slice(0, steps).flatten(0, 2));
  slice.interimIn = temps;
  return l_.gatherFn(graph_, slice, steps, shared, {l_.name, "gather"});
}

} // namespace ipumodel
