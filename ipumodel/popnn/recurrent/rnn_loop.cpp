#include "popnn/recurrent/rnn_shard.hpp"

#include <gccs/Algorithm.hpp>
#include <popnn/Rnn.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <string>

namespace popnn {
namespace rnn {

using ipumodel::RnnLayer;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;

namespace {

[[noreturn]] void failRnn(const std::string &what) {
  throw poputil::poplibs_error("Rnn: " + what);
}

void checkSequence(const char *what, const Tensor &sequence,
                   const RnnParams &params, unsigned rank) {
  if (sequence.rank() != rank || sequence.dim(0) % params.maxTimeSteps != 0 ||
      sequence.dim(0) == 0)
    failRnn(std::string(what) + " has shape " + sequence.shapeToString() +
            ", which is no sequence of " + std::to_string(params.maxTimeSteps) +
            " steps and rank " + std::to_string(rank));
}

void check(const RnnLayer &layer, const std::vector<Tensor> &initState) {
  for (const Tensor &input : layer.inputs)
    if (input.valid())
      checkSequence("an input", input, layer.params, 3);
  for (const Tensor &output : layer.outputs)
    checkSequence("an output", output, layer.params, 3);
  for (const Tensor &input : layer.gatherInputs)
    checkSequence("an input of gatherFn", input, layer.params, 3);
  if (layer.interimIn && layer.interimIn->valid())
    checkSequence("interimIn", *layer.interimIn, layer.params, 4);
  if (layer.interimOut)
    checkSequence("interimOut", *layer.interimOut, layer.params, 4);
  if (layer.stateSequence.output.valid()) {
    if (layer.stateSequence.stateIndex >= initState.size())
      failRnn("stateSequence is of state " +
              std::to_string(layer.stateSequence.stateIndex) + ", and there " +
              "are " + std::to_string(initState.size()));
    checkSequence("stateSequence", layer.stateSequence.output, layer.params, 3);
  }
}

std::vector<Tensor> addLayer(const RnnLayer &layer,
                             const std::vector<Tensor> &initState,
                             Sequence &prog, unsigned numShards,
                             const OptionFlags &options) {
  bool codeReuse = false;
  const poplibs::OptionSpec spec{
      {"codeReuse", poplibs::OptionHandler::createWithBool(codeReuse)}};
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  if (numShards == 0)
    failRnn("there must be at least one shard");
  check(layer, initState);

  std::vector<Tensor> state;
  for (const Tensor &init : initState) {
    state.push_back(init.valid()
                        ? layer.graph.clone(init, {layer.name, "state"})
                        : Tensor());
    if (init.valid())
      prog.add(Copy(init, state.back(), false, layer.name));
  }
  const std::size_t steps = layer.params.maxTimeSteps;
  const std::size_t each = gccs::ceildiv(steps, std::size_t(numShards));
  const std::size_t used = gccs::ceildiv(steps, each);
  for (std::size_t i = 0; i < used; ++i) {
    const std::size_t begin = (layer.reverse ? used - 1 - i : i) * each;
    ipumodel::RnnShard(layer, begin, std::min(begin + each, steps))
        .add(state, prog, i == 0 ? &prog : nullptr);
  }
  return state;
}

} // namespace

std::vector<Tensor>
Rnn(Graph &graph, const RnnParams &params, bool reverse,
    const std::vector<Tensor> &initState, const StateSequence &stateSequence,
    const std::vector<Tensor> &inputs, const Tensor *interimIn,
    Tensor *interimOut, const std::vector<Tensor> &outputs,
    const std::vector<Tensor> &created, Sequence &prog,
    const LoopBodyType &loopFn, unsigned numShards, OptionFlags &options,
    const DebugContext &debugContext) {
  const poputil::PoplibsOpDebugInfo name(debugContext, {}, "Rnn");
  return addLayer({graph,
                   params,
                   reverse,
                   stateSequence,
                   inputs,
                   interimIn,
                   interimOut,
                   0,
                   outputs,
                   created,
                   loopFn,
                   {},
                   {},
                   0,
                   {name}},
                  initState, prog, numShards, options);
}

std::vector<Tensor>
Rnn(Graph &graph, const RnnParams &params, const std::vector<Tensor> &initState,
    const StateSequence &stateSequence, const std::vector<Tensor> &inputs,
    const Tensor &interimIn, const unsigned numTemps, Sequence &prog,
    const LoopBodyType &loopFn, const std::vector<Tensor> &gatherInputs,
    const GatherBodyType &gatherFn, unsigned numShards, unsigned stepsPerGather,
    OptionFlags &options, const DebugContext &debugContext) {
  if (numTemps == 0 || stepsPerGather == 0)
    failRnn("numTemps and stepsPerGather must be at least 1");
  const poputil::PoplibsOpDebugInfo name(debugContext, {}, "Rnn");
  return addLayer({graph,
                   params,
                   true,
                   stateSequence,
                   inputs,
                   &interimIn,
                   nullptr,
                   numTemps,
                   {},
                   {},
                   loopFn,
                   gatherInputs,
                   gatherFn,
                   stepsPerGather,
                   {name}},
                  initState, prog, numShards, options);
}

} // namespace rnn
} // namespace popnn
