#include "poplar/plan/native_kernel.hpp"
#include "popnn/loss_kernel.hpp"

#include <popnn/Loss.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Program;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

void checkRows(const Tensor &outputs, const Tensor &expected,
               const char *function) {
  if (outputs.rank() != 2)
    throw poplibs_error(std::string(function) + ": outputs of shape " +
                        outputs.shapeToString() + " are not [rows, classes]");
  if (outputs.elementType() != poplar::FLOAT &&
      outputs.elementType() != poplar::HALF)
    throw poplibs_error(std::string(function) +
                        ": outputs must be HALF or FLOAT");
  if (expected.rank() != 1 || expected.dim(0) != outputs.dim(0))
    throw poplibs_error(std::string(function) + ": expected has shape " +
                        expected.shapeToString() +
                        ", not one class number per row");
  if (expected.elementType() != poplar::INT &&
      expected.elementType() != poplar::UNSIGNED_INT)
    throw poplibs_error(std::string(function) +
                        ": expected must be INT or UNSIGNED_INT");
}

void mapIfUnmapped(Graph &graph, const Tensor &t) {
  bool complete = false;
  graph.getTileMapping(t, &complete);
  if (!complete)
    poputil::mapTensorLinearly(graph, t);
}

Program addLoss(Graph &graph, const Tensor &modelOutputs,
                const Tensor &expected, const Tensor &loss,
                const Tensor &deltas, const Tensor *deltasScale,
                const Tensor *modelOutputScaling, const Tensor *numCorrect,
                LossType lossType, const DebugContext &debugContext) {
  checkRows(modelOutputs, expected, "calcLoss");
  if (lossType != SUM_SQUARED_LOSS && lossType != CROSS_ENTROPY_LOSS)
    throw poplibs_error("calcLoss: unknown loss type");
  if (loss.rank() != 1 || loss.dim(0) != modelOutputs.dim(0))
    throw poplibs_error("calcLoss: loss has shape " + loss.shapeToString() +
                        ", not one element per row");
  if (loss.elementType() != poplar::FLOAT && loss.elementType() != poplar::HALF)
    throw poplibs_error("calcLoss: loss must be HALF or FLOAT");
  if (deltas.shape() != modelOutputs.shape() ||
      deltas.elementType() != modelOutputs.elementType())
    throw poplibs_error(
        "calcLoss: deltas must have the shape and type of the outputs");
  if (deltasScale && lossType != CROSS_ENTROPY_LOSS)
    throw poplibs_error("calcLoss: scaling is only for the cross entropy");
  // Deltas are mapped like the outputs, as in PopLibs.
  graph.setTileMapping(deltas, graph.getTileMapping(modelOutputs));
  mapIfUnmapped(graph, loss);
  std::vector<Tensor> inputs = {modelOutputs, expected};
  for (const Tensor *scale : {deltasScale, modelOutputScaling})
    if (scale) {
      if (scale->numElements() != 1 ||
          scale->elementType() != deltas.elementType())
        throw poplibs_error(
            "calcLoss: scales must be one element of the type of the deltas");
      inputs.push_back(*scale);
    }
  Sequence prog({}, debugContext);
  ipumodel::addNative(prog, ipumodel::Loss{lossType}, {loss, deltas}, inputs,
                      debugContext);
  if (numCorrect)
    prog.add(
        calcAccuracy(graph, modelOutputs, expected, *numCorrect, debugContext));
  return prog;
}

} // namespace

Program calcLoss(Graph &graph, const Tensor &modelOutputs,
                 const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, LossType lossType,
                 const DebugContext &debugContext) {
  return addLoss(graph, modelOutputs, expected, loss, deltas, nullptr, nullptr,
                 nullptr, lossType, debugContext);
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs,
                 const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, const Tensor &deltasScale,
                 const Tensor &modelOutputScaling, LossType lossType,
                 const DebugContext &debugContext) {
  return addLoss(graph, modelOutputs, expected, loss, deltas, &deltasScale,
                 &modelOutputScaling, nullptr, lossType, debugContext);
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs,
                 const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, const Tensor &numCorrect,
                 LossType lossType, const DebugContext &debugContext) {
  return addLoss(graph, modelOutputs, expected, loss, deltas, nullptr, nullptr,
                 &numCorrect, lossType, debugContext);
}

Program calcLoss(Graph &graph, const Tensor &modelOutputs,
                 const Tensor &expected, const Tensor &loss,
                 const Tensor &deltas, const Tensor &deltasScale,
                 const Tensor &modelOutputScaling, const Tensor &numCorrect,
                 LossType lossType, const DebugContext &debugContext) {
  return addLoss(graph, modelOutputs, expected, loss, deltas, &deltasScale,
                 &modelOutputScaling, &numCorrect, lossType, debugContext);
}

Program calcAccuracy(Graph &, const Tensor &modelOutputs,
                     const Tensor &expected, const Tensor &numCorrect,
                     const DebugContext &debugContext) {
  checkRows(modelOutputs, expected, "calcAccuracy");
  if (numCorrect.numElements() != 1 ||
      numCorrect.elementType() != poplar::UNSIGNED_INT)
    throw poplibs_error("calcAccuracy: numCorrect must be one UNSIGNED_INT");
  Sequence prog({}, debugContext);
  ipumodel::addNative(prog, ipumodel::Accuracy{}, {numCorrect},
                      {modelOutputs, expected, numCorrect}, debugContext);
  return prog;
}

namespace {

enum class Extreme { largest, smallest };

std::pair<Tensor, Tensor> addExtremes(Graph &graph, const Tensor &input,
                                      Extreme extreme, bool withValues,
                                      Sequence &prog,
                                      const DebugContext &debugContext) {
  if (input.rank() != 2)
    throw poplibs_error("argMax and argMin: input of shape " +
                        input.shapeToString() + " does not have rank 2");
  const poplar::Type type = input.elementType();
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    throw poplibs_error("argMax and argMin: " +
                        type.toString().cloneAsString() + " is not supported");
  const std::size_t rows = input.dim(0);
  const Tensor indices =
      graph.addVariable(poplar::UNSIGNED_INT, {rows}, debugContext);
  poputil::mapTensorLinearly(graph, indices);
  std::vector<Tensor> outputs = {indices};
  Tensor values;
  if (withValues) {
    values = graph.addVariable(type, {rows}, debugContext);
    poputil::mapTensorLinearly(graph, values);
    outputs.push_back(values);
  }
  ipumodel::addNative(prog, ipumodel::ArgExtreme{extreme == Extreme::largest},
                      outputs, {input}, debugContext);
  return {values, indices};
}

} // namespace

Tensor argMax(Graph &graph, const Tensor &input, Sequence &prog,
              const DebugContext &debugContext) {
  return addExtremes(graph, input, Extreme::largest, false, prog, debugContext)
      .second;
}

std::pair<Tensor, Tensor> maxAndArgMax(Graph &graph, const Tensor &input,
                                       Sequence &prog,
                                       const DebugContext &debugContext) {
  return addExtremes(graph, input, Extreme::largest, true, prog, debugContext);
}

Tensor argMin(Graph &graph, const Tensor &input, Sequence &prog,
              const DebugContext &debugContext) {
  return addExtremes(graph, input, Extreme::smallest, false, prog, debugContext)
      .second;
}

std::pair<Tensor, Tensor> minAndArgMin(Graph &graph, const Tensor &input,
                                       Sequence &prog,
                                       const DebugContext &debugContext) {
  return addExtremes(graph, input, Extreme::smallest, true, prog, debugContext);
}

} // namespace popnn
