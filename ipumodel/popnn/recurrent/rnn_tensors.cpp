#include <gccs/Algorithm.hpp>
#include <popnn/Rnn.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>

namespace popnn {
namespace rnn {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

// One step of a sequence, [batch, size], is divided into grains of up to 16
// adjacent elements, and these evenly among the tiles.
struct StepSpread {
  StepSpread(const Graph &graph, const RnnParams &params, std::size_t size)
      : grain(std::gcd(std::size_t(16), size)) {
    const std::size_t grains = params.batchSize * size / grain;
    grainsPerTile =
        gccs::ceildiv(grains, std::size_t(graph.getTarget().getNumTiles()));
    usedTiles = gccs::ceildiv(grains, grainsPerTile);
  }
  std::size_t bytesPerTile(const Graph &graph, const poplar::Type &type) const {
    return grainsPerTile * grain * graph.getTarget().getTypeSize(type);
  }

  std::size_t grain, grainsPerTile, usedTiles;
};

// All steps have the same mapping, so that taking one moves no data.
Tensor createSequence(Graph &graph, const RnnParams &params, std::size_t steps,
                      std::size_t size, const DebugContext &debugContext) {
  const Tensor t = graph.addVariable(
      params.dataType, {steps, params.batchSize, size}, debugContext);
  const StepSpread spread(graph, params, size);
  const auto grain = static_cast<unsigned>(spread.grain);
  for (std::size_t step = 0; step < steps; ++step)
    poputil::mapTensorLinearly(
        graph, t[step], static_cast<unsigned>(spread.grainsPerTile) * grain,
        grain);
  return t;
}

void checkShards(const char *function, unsigned numShards) {
  if (numShards == 0)
    throw poplibs_error(std::string(function) +
                        ": there must be at least one shard");
}

} // namespace

RnnParams::RnnParams(poplar::Type dataType, std::size_t batchSize,
                     std::size_t timeSteps, std::vector<std::size_t> layerSizes)
    : RnnParams(dataType, batchSize, timeSteps, Tensor(),
                std::move(layerSizes)) {}

RnnParams::RnnParams(poplar::Type dataType, std::size_t batchSize,
                     std::size_t maxTimeSteps, const Tensor &varTimeSteps,
                     std::vector<std::size_t> layerSizes)
    : dataType(dataType), batchSize(batchSize), maxTimeSteps(maxTimeSteps),
      timeSteps(maxTimeSteps), varTimeSteps(varTimeSteps),
      layerSizes(std::move(layerSizes)) {
  if (varTimeSteps.valid() &&
      (varTimeSteps.rank() != 1 ||
       (varTimeSteps.dim(0) != 1 && varTimeSteps.dim(0) != batchSize)))
    throw poplibs_error("RnnParams: the lengths of sequences have shape " +
                        varTimeSteps.shapeToString() + ", not {1} or {" +
                        std::to_string(batchSize) + "}");
}

std::size_t RnnParams::getMaxShards(const Graph &graph) const {
  const std::size_t tiles = graph.getTarget().getNumTiles();
  std::size_t used = 1;
  for (const std::size_t size : layerSizes)
    used = std::max(used, StepSpread(graph, *this, size).usedTiles);
  return tiles / used;
}

std::size_t RnnParams::getInputBytesPerTile(const Graph &graph) const {
  return StepSpread(graph, *this, layerSizes.at(0))
      .bytesPerTile(graph, dataType);
}

std::size_t RnnParams::getOutputBytesPerTile(const Graph &graph) const {
  return StepSpread(graph, *this, layerSizes.at(1))
      .bytesPerTile(graph, dataType);
}

bool RnnParams::variableTimeSteps() const { return varTimeSteps.valid(); }

bool RnnParams::batchVariableTimeSteps() const {
  return varTimeSteps.valid() && varTimeSteps.dim(0) > 1;
}

Tensor createInitialState(Graph &graph, const RnnParams &params, bool isOutput,
                          unsigned multiple, unsigned numShards,
                          const DebugContext &debugContext) {
  checkShards("createInitialState", numShards);
  return createSequence(graph, params, std::size_t(multiple) * numShards,
                        params.layerSizes.at(isOutput ? 1 : 0), debugContext);
}

Tensor createRecurrentTensor(Graph &graph, const RnnParams &params,
                             unsigned size, unsigned numShards,
                             const DebugContext &debugContext) {
  checkShards("createRecurrentTensor", numShards);
  return createSequence(graph, params, params.maxTimeSteps, size, debugContext);
}

Tensor createInputTensor(Graph &graph, const RnnParams &params,
                         unsigned numShards, const DebugContext &debugContext) {
  checkShards("createInputTensor", numShards);
  return createSequence(graph, params, params.maxTimeSteps,
                        params.layerSizes.at(0), debugContext);
}

Tensor createOutputTensor(Graph &graph, const RnnParams &params,
                          unsigned numShards,
                          const DebugContext &debugContext) {
  return createOutputTensor(graph, params, 1, numShards, debugContext);
}

Tensor createOutputTensor(Graph &graph, const RnnParams &params,
                          unsigned multiple, unsigned numShards,
                          const DebugContext &debugContext) {
  checkShards("createOutputTensor", numShards);
  return createSequence(graph, params, multiple * params.maxTimeSteps,
                        params.layerSizes.at(1), debugContext);
}

Tensor shiftRnnTensor(Graph &graph, const RnnParams &params,
                      const Tensor &tBase, const Tensor &tSingle,
                      Sequence &prog, unsigned numShards,
                      const DebugContext &debugContext) {
  checkShards("shiftRnnTensor", numShards);
  if (tBase.rank() == 0 || tBase.dim(0) != params.maxTimeSteps ||
      tSingle.numElements() * params.maxTimeSteps != tBase.numElements())
    throw poplibs_error("shiftRnnTensor: " + tBase.shapeToString() +
                        " is not a sequence of " +
                        std::to_string(params.maxTimeSteps) + " steps of " +
                        tSingle.shapeToString());
  const Tensor first = graph.clone(tBase[0], debugContext);
  prog.add(Copy(tSingle.reshape(first.shape()), first, false, debugContext));
  return concat(first.expand({0}), tBase.slice(0, params.maxTimeSteps - 1));
}

} // namespace rnn
} // namespace popnn
