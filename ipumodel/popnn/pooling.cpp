#include "popnn/pool_geometry.hpp"
#include "popnn/pool_kernel.hpp"

#include <popnn/Pooling.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <set>

namespace popnn {
namespace pooling {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

void checkOptions(const OptionFlags &options) {
  bool ignored;
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"poolUseIntrospectiveMapping", OptionHandler::createWithBool(ignored)},
      {"optimizeForSpeed", OptionHandler::createWithBool(ignored)},
      {"useFloatPartialsWhereBeneficial",
       OptionHandler::createWithBool(ignored)},
  };
  for (const auto &option : options)
    spec.parse(option.first, option.second);
}

void check(const PoolParams &params) {
  const std::size_t dims = params.getNumFieldDims();
  if (params.kernelShape.size() != dims || params.stride.size() != dims ||
      params.inputTruncationOrPaddingLower.size() != dims ||
      params.inputTruncationOrPaddingUpper.size() != dims)
    throw poplibs_error("pooling: kernel, stride and padding must have as many "
                        "entries as the field has dimensions (" +
                        std::to_string(dims) + ")");
  for (std::size_t dim = 0; dim < dims; ++dim) {
    const std::string where = " in dimension " + std::to_string(dim);
    if (params.stride[dim] == 0)
      throw poplibs_error("pooling: stride is 0" + where);
    if (params.kernelShape[dim] == 0)
      throw poplibs_error("pooling: the window has no elements" + where);
    const auto truncated = [](int padding) {
      return static_cast<std::size_t>(std::max(0, -padding));
    };
    if (truncated(params.inputTruncationOrPaddingLower[dim]) +
            truncated(params.inputTruncationOrPaddingUpper[dim]) >
        params.inputFieldShape[dim])
      throw poplibs_error("pooling: the truncation is larger than the input" +
                          where);
  }
}

void checkShape(const Tensor &t, const PoolParams &params,
                const std::vector<std::size_t> &field, const char *what) {
  if (field.size() > ipumodel::PoolGeometry::kDims)
    throw poplibs_error("pooling of fields of " + std::to_string(field.size()) +
                        " dimensions: at most three are supported");
  std::vector<std::size_t> shape = {params.batchSize, params.numChannels};
  shape.insert(shape.end(), field.begin(), field.end());
  if (t.shape() != shape)
    throw poplibs_error("pooling: " + std::string(what) + " of shape " +
                        t.shapeToString() +
                        " does not match batch, channels and field of the "
                        "parameters");
  if (t.elementType() != poplar::FLOAT && t.elementType() != poplar::HALF)
    throw poplibs_error("pooling: only HALF and FLOAT are supported");
}

// A tensor [N, channels, field...] stored channels last.
Tensor addField(Graph &graph, const PoolParams &params,
                const poplar::Type &type, const std::vector<std::size_t> &field,
                const DebugContext &debugContext) {
  std::vector<std::size_t> stored = {params.batchSize};
  stored.insert(stored.end(), field.begin(), field.end());
  stored.push_back(params.numChannels);
  const Tensor t = graph.addVariable(type, stored, debugContext);
  poputil::mapTensorLinearly(graph, t);
  return t.dimRoll(t.rank() - 1, 1);
}

// One per element of each window, without padding, and for averages one per
// element of the result that is not only padding.
std::uint64_t flops(const PoolParams &params, bool backward) {
  std::uint64_t products = 1, results = 1;
  const std::vector<std::size_t> out = params.getOutputFieldShape();
  for (std::size_t dim = 0; dim < out.size(); ++dim) {
    const auto lower =
        static_cast<std::ptrdiff_t>(params.inputTruncationOrPaddingLower[dim]);
    const auto size = static_cast<std::ptrdiff_t>(params.inputFieldShape[dim]);
    const auto end =
        size + std::min(0, params.inputTruncationOrPaddingUpper[dim]);
    std::set<std::ptrdiff_t> inputs, outputs;
    std::uint64_t pairs = 0;
    for (std::size_t o = 0; o < out[dim]; ++o)
      for (std::size_t k = 0; k < params.kernelShape[dim]; ++k) {
        const auto at =
            static_cast<std::ptrdiff_t>(o * params.stride[dim] + k) - lower;
        if (at < std::max<std::ptrdiff_t>(0, -lower) || at >= end)
          continue;
        ++pairs;
        inputs.insert(at);
        outputs.insert(static_cast<std::ptrdiff_t>(o));
      }
    products *= pairs;
    results *= backward ? inputs.size() : outputs.size();
  }
  const bool averages = params.poolingType == PoolingType::AVG;
  return params.batchSize * params.numChannels *
         (products + (averages ? results : 0));
}

} // namespace

std::vector<std::size_t> getOutputFieldShape(const PoolParams &params) {
  check(params);
  std::vector<std::size_t> shape;
  for (std::size_t dim = 0; dim < params.getNumFieldDims(); ++dim) {
    const auto padded =
        static_cast<std::ptrdiff_t>(params.inputFieldShape[dim]) +
        params.inputTruncationOrPaddingLower[dim] +
        params.inputTruncationOrPaddingUpper[dim];
    const auto kernel = static_cast<std::ptrdiff_t>(params.kernelShape[dim]);
    if (padded < kernel)
      throw poplibs_error("pooling: the window of " + std::to_string(kernel) +
                          " is larger than the padded input of " +
                          std::to_string(padded) + " in dimension " +
                          std::to_string(dim));
    shape.push_back(
        static_cast<std::size_t>(padded - kernel) / params.stride[dim] + 1);
  }
  return shape;
}

std::vector<std::size_t> PoolParams::getOutputFieldShape() const {
  return pooling::getOutputFieldShape(*this);
}

const char *asString(const PoolingType &method) {
  switch (method) {
  case PoolingType::MAX:
    return "max";
  case PoolingType::AVG:
    return "avg";
  case PoolingType::SUM:
    return "sum";
  }
  throw poplibs_error("unknown pooling type");
}

std::ostream &operator<<(std::ostream &o, const PoolParams &params) {
  const auto list = [&](const char *name, const auto &values) {
    o << "\n  " << name << " {";
    const char *separator = "";
    for (const auto value : values) {
      o << separator << value;
      separator = ",";
    }
    o << '}';
  };
  o << "Pooling " << asString(params.poolingType);
  list("inputFieldShape", params.inputFieldShape);
  list("kernelShape", params.kernelShape);
  list("stride", params.stride);
  list("lower", params.inputTruncationOrPaddingLower);
  list("upper", params.inputTruncationOrPaddingUpper);
  return o << "\n  channels " << params.numChannels << ", batch "
           << params.batchSize << ", " << params.dType << '\n';
}

std::uint64_t getFwdFlops(const PoolParams &params) {
  return flops(params, false);
}

std::uint64_t getBwdFlops(const PoolParams &params) {
  return flops(params, true);
}

double getFwdPerfectCycleCount(const Graph &graph, const PoolParams &params) {
  const poplar::Target &target = graph.getTarget();
  return static_cast<double>(getFwdFlops(params)) /
         (target.getNumTiles() * target.getVectorWidth(params.dType));
}

double getBwdPerfectCycleCount(const Graph &graph, const PoolParams &params) {
  return 2 * getFwdPerfectCycleCount(graph, params);
}

Tensor pool(Graph &graph, const PoolParams &params, const Tensor &in,
            Sequence &prog, const DebugContext &debugContext,
            const OptionFlags &options) {
  checkOptions(options);
  const std::vector<std::size_t> field = params.getOutputFieldShape();
  checkShape(in, params, params.inputFieldShape, "input");
  const Tensor out =
      addField(graph, params, in.elementType(), field, debugContext);
  ipumodel::addNative(prog, ipumodel::Pool{params}, {out}, {in}, debugContext);
  return out;
}

Tensor poolInputGradient(Graph &graph, const PoolParams &params,
                         const Tensor &in, const Tensor &pooled,
                         const Tensor &pooledGradient, bool useScaledGradient,
                         Sequence &prog, const DebugContext &debugContext,
                         const OptionFlags &options) {
  checkOptions(options);
  const std::vector<std::size_t> field = params.getOutputFieldShape();
  checkShape(in, params, params.inputFieldShape, "input");
  checkShape(pooled, params, field, "output");
  checkShape(pooledGradient, params, field, "output gradient");
  for (const Tensor *t : {&pooled, &pooledGradient})
    if (t->elementType() != in.elementType())
      throw poplibs_error("poolInputGradient: the input is " +
                          in.elementType().toString().cloneAsString() +
                          ", the output or its gradient " +
                          t->elementType().toString().cloneAsString());
  const Tensor result = addField(graph, params, pooledGradient.elementType(),
                                 params.inputFieldShape, debugContext);
  ipumodel::addNative(prog, ipumodel::PoolGradient{params, useScaledGradient},
                      {result}, {pooledGradient, in, pooled}, debugContext);
  return result;
}

Tensor poolInputGradient(Graph &graph, const PoolParams &params, const unsigned,
                         const Tensor &pooledGradient, Sequence &prog,
                         const DebugContext &debugContext,
                         const OptionFlags &options) {
  checkOptions(options);
  if (params.poolingType == PoolingType::MAX)
    throw poplibs_error("poolInputGradient: the gradient of max pooling needs "
                        "the input and the output");
  checkShape(pooledGradient, params, params.getOutputFieldShape(),
             "output gradient");
  const Tensor result = addField(graph, params, pooledGradient.elementType(),
                                 params.inputFieldShape, debugContext);
  ipumodel::addNative(prog, ipumodel::PoolGradient{params, false}, {result},
                      {pooledGradient}, debugContext);
  return result;
}

} // namespace pooling
} // namespace popnn
