#include "poplar/graph/tensor_checks.hpp"
#include "poplin/conv/conv_geometry.hpp"
#include "poplin/conv/conv_kernel.hpp"
#include "poplin/plan_options.hpp"
#include "poplin/planning_cache.hpp"
#include "poplin/quarter_operand.hpp"
#include "poputil/unaliased_input.hpp"

#include <poplin/Convolution.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <numeric>

namespace poplin {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

bool isFloating(const poplar::Type &type) {
  return type == poplar::FLOAT || type == poplar::HALF;
}

// The parameters of the products that are computed.
ConvParams computed(ConvParams params) {
  params.inputType = ipumodel::widened(params.inputType);
  return params;
}

void plan(const ConvParams &params, const OptionFlags &options,
          PlanningCache *cache) {
  params.validate();
  ipumodel::checkTypes("convolution", params.inputType, params.outputType);
  if (params.getNumFieldDims() > ipumodel::ConvGeometry::kDims)
    throw poplibs_error("convolution of fields of " +
                        std::to_string(params.getNumFieldDims()) +
                        " dimensions: at most three are supported");
  ipumodel::checkConvolutionOptions(options);
  ipumodel::notePlan(cache, params, options);
}

std::vector<std::size_t> inputShape(const ConvParams &params) {
  std::vector<std::size_t> shape = {params.batchSize,
                                    params.getNumInputChans()};
  shape.insert(shape.end(), params.inputFieldShape.begin(),
               params.inputFieldShape.end());
  return shape;
}

std::vector<std::size_t> outputShape(const ConvParams &params) {
  std::vector<std::size_t> shape = {params.batchSize,
                                    params.getNumOutputChans()};
  const std::vector<std::size_t> field = params.getOutputFieldShape();
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}

std::vector<std::size_t> weightsShape(const ConvParams &params) {
  std::vector<std::size_t> shape = {params.numConvGroups,
                                    params.outputChannelsPerConvGroup,
                                    params.inputChannelsPerConvGroup};
  shape.insert(shape.end(), params.kernelShape.begin(),
               params.kernelShape.end());
  return shape;
}

void checkTensor(const Tensor &tensor, const std::vector<std::size_t> &shape,
                 const poplar::Type &type, const char *what) {
  if (tensor.shape() != shape)
    throw poplibs_error("convolution: " + std::string(what) + " has shape " +
                        ipumodel::shapeText(tensor.shape()) +
                        ", the parameters require " +
                        ipumodel::shapeText(shape));
  if (tensor.elementType() != type)
    throw poplibs_error("convolution: " + std::string(what) + " is " +
                        tensor.elementType().toString().cloneAsString() +
                        ", the parameters require " +
                        type.toString().cloneAsString());
}

// Checks weights against the parameters. They may have a group dimension or
// not, and for a gradient their channels are exchanged.
void checkWeights(const Tensor &weights, const ConvParams &params,
                  bool transposed) {
  std::vector<std::size_t> shape = weightsShape(params);
  if (transposed)
    std::swap(shape[1], shape[2]);
  const bool withGroups = weights.rank() == shape.size();
  checkTensor(withGroups ? weights : weights.expand({0}), shape,
              params.inputType, "weights");
}

// A tensor of that shape, stored channels last.
Tensor addChannelsLast(Graph &graph, const poplar::Type &type,
                       std::vector<std::size_t> shape,
                       const DebugContext &debugContext) {
  std::vector<std::size_t> stored = shape;
  stored.erase(stored.begin() + 1);
  stored.push_back(shape[1]);
  const Tensor t = graph.addVariable(type, stored, debugContext);
  poputil::mapTensorLinearly(graph, t);
  return t.dimRoll(t.rank() - 1, 1);
}

} // namespace

Tensor createInput(Graph &graph, const ConvParams &params,
                   const DebugContext &debugContext, const OptionFlags &options,
                   PlanningCache *cache) {
  plan(params, options, cache);
  return addChannelsLast(graph, params.inputType, inputShape(params),
                         debugContext);
}

Tensor createConvOutput(Graph &graph, const ConvParams &params,
                        const DebugContext &debugContext,
                        const OptionFlags &options, PlanningCache *cache) {
  plan(params, options, cache);
  return addChannelsLast(graph, params.outputType, outputShape(params),
                         debugContext);
}

// Stored as [groups, kernel..., in, out], the order in which products read it.
Tensor createWeights(Graph &graph, const ConvParams &params,
                     const DebugContext &debugContext,
                     const OptionFlags &options, PlanningCache *cache) {
  plan(params, options, cache);
  std::vector<std::size_t> stored = {params.numConvGroups};
  stored.insert(stored.end(), params.kernelShape.begin(),
                params.kernelShape.end());
  stored.push_back(params.inputChannelsPerConvGroup);
  stored.push_back(params.outputChannelsPerConvGroup);
  const Tensor t = graph.addVariable(params.inputType, stored, debugContext);
  poputil::mapTensorLinearly(graph, t);
  const unsigned last = t.rank() - 1;
  return t.dimRoll(last, 1).dimRoll(last, 2);
}

Tensor convolution(Graph &graph, const Tensor &in, const Tensor &weights,
                   const ConvParams &params, bool transposeAndFlipWeights,
                   Sequence &prog, const DebugContext &debugContext,
                   const OptionFlags &options, PlanningCache *cache) {
  const Tensor out =
      createConvOutput(graph, params, debugContext, options, cache);
  convolutionWithOutput(graph, in, weights, out, params,
                        transposeAndFlipWeights, prog, debugContext, options,
                        cache);
  return out;
}

void convolutionWithOutput(Graph &graph, const Tensor &in,
                           const Tensor &weights, const Tensor &out,
                           const ConvParams &params,
                           bool transposeAndFlipWeights, Sequence &prog,
                           const DebugContext &debugContext,
                           const OptionFlags &options, PlanningCache *cache) {
  plan(params, options, cache);
  checkTensor(in, inputShape(params), params.inputType, "input");
  checkWeights(weights, params, transposeAndFlipWeights);
  checkTensor(out, outputShape(params), params.outputType, "output");
  const auto operand = [&](const Tensor &t) {
    return ipumodel::unaliasedInput(
        out, ipumodel::widened(graph, t, prog, debugContext), graph, prog,
        debugContext);
  };
  ipumodel::addNative(
      prog, ipumodel::Convolution{computed(params), transposeAndFlipWeights},
      {out}, {operand(in), operand(weights)}, debugContext);
}

void weightsTransposeChansFlipXY(Graph &, const Tensor &weightsIn,
                                 const Tensor &weightsOut, Sequence &prog,
                                 const DebugContext &debugContext,
                                 const OptionFlags &options) {
  ipumodel::checkConvolutionOptions(options);
  Tensor flipped = weightsIn.dimShufflePartial({1, 2}, {2, 1});
  for (unsigned dim = 3; dim < flipped.rank(); ++dim)
    flipped = flipped.reverse(dim);
  if (flipped.shape() != weightsOut.shape())
    throw poplibs_error("weightsTransposeChansFlipXY: weights of shape " +
                        ipumodel::shapeText(flipped.shape()) +
                        " do not match " +
                        ipumodel::shapeText(weightsOut.shape()));
  prog.add(poplar::program::Copy(flipped, weightsOut, false, debugContext));
  if (weightsIn.hasMetadata() &&
      !(weightsIn.getMetadata() == weightsOut.getMetadata()))
    prog.add(poplar::program::Copy(weightsIn.getMetadata(),
                                   weightsOut.getMetadata(), false,
                                   debugContext));
}

namespace {

void addWeightDeltas(Graph &graph, const Tensor &zDeltas,
                     const Tensor &activations, const Tensor &weights,
                     const ConvParams &params, float scale,
                     const Tensor *scaleTensor, bool accumulate, Sequence &prog,
                     const DebugContext &debugContext) {
  checkTensor(activations, inputShape(params), params.inputType, "activations");
  checkTensor(zDeltas, outputShape(params), params.inputType, "zDeltas");
  std::vector<Tensor> inputs = {
      ipumodel::widened(graph, zDeltas, prog, debugContext),
      ipumodel::widened(graph, activations, prog, debugContext)};
  if (scaleTensor)
    inputs.push_back(*scaleTensor);
  if (accumulate)
    inputs.push_back(weights);
  ipumodel::addNative(prog,
                      ipumodel::WeightDeltas{computed(params), scale,
                                             scaleTensor != nullptr,
                                             accumulate},
                      {weights}, inputs, debugContext);
}

} // namespace

Tensor calculateWeightDeltas(Graph &graph, const Tensor &zDeltas,
                             const Tensor &activations,
                             const ConvParams &params, Sequence &prog,
                             const DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  ConvParams weightParams = params;
  weightParams.inputType = params.outputType;
  const Tensor weights =
      createWeights(graph, weightParams, debugContext, options, cache);
  // Truncated kernel elements have no gradient.
  for (unsigned dim = 0; dim < params.getNumFieldDims(); ++dim)
    if (params.getTruncatedKernelSize(dim) != params.kernelShape[dim]) {
      const Tensor zero =
          graph.addConstant(params.outputType, {1}, 0.0f, debugContext);
      graph.setTileMapping(zero, 0);
      prog.add(poplar::program::Copy(
          zero.broadcast(static_cast<unsigned>(weights.numElements()), 0),
          weights.flatten(), false, debugContext));
      break;
    }
  addWeightDeltas(graph, zDeltas, activations, weights, params, 1.0f, nullptr,
                  false, prog, debugContext);
  return weights;
}

namespace {

// Weights may be HALF or FLOAT whatever the parameters say: HALF gradients may
// be summed in FLOAT.
void checkUpdated(const Tensor &weights, const ConvParams &params) {
  checkTensor(weights, weightsShape(params),
              isFloating(weights.elementType())
                  ? weights.elementType()
                  : ipumodel::widened(params.inputType),
              "weights");
}

} // namespace

void convolutionWeightUpdate(Graph &graph, const Tensor &zDeltas,
                             const Tensor &weights, const Tensor &activations,
                             ConvParams params, const Tensor &scale,
                             Sequence &prog, const DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  plan(params, options, cache);
  checkUpdated(weights, params);
  if (scale.numElements() != 1 || !isFloating(scale.elementType()))
    throw poplibs_error("convolutionWeightUpdate: the scale must be one HALF "
                        "or FLOAT, not " +
                        scale.elementType().toString().cloneAsString() +
                        " of shape " + ipumodel::shapeText(scale.shape()));
  addWeightDeltas(graph, zDeltas, activations, weights, params, 1.0f, &scale,
                  true, prog, debugContext);
}

void convolutionWeightUpdate(Graph &graph, const Tensor &zDeltas,
                             const Tensor &weights, const Tensor &activations,
                             ConvParams params, float scale, Sequence &prog,
                             const DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  plan(params, options, cache);
  checkUpdated(weights, params);
  addWeightDeltas(graph, zDeltas, activations, weights, params, scale, nullptr,
                  true, prog, debugContext);
}

void convolutionValidateOptions(const OptionFlags &options) {
  ipumodel::checkConvolutionOptions(options);
}

Tensor fullyConnectedWeightTranspose(Graph &, Tensor weights,
                                     const ConvParams &params, Sequence &,
                                     const DebugContext &,
                                     const OptionFlags &options,
                                     PlanningCache *cache) {
  params.validate();
  ipumodel::checkConvolutionOptions(options);
  if (params.getNumFieldDims() != 1 || weights.rank() != 4)
    throw poputil::poplibs_error(
        "fullyConnectedWeightTranspose: a convolution of one field dimension "
        "is expected");
  ipumodel::notePlan(cache, params, options);
  return weights.dimShuffle({0, 2, 1, 3});
}

} // namespace poplin
