#include "poplar/plan/native_kernel.hpp"
#include "popops/reduce/reduce_kernel.hpp"
#include "popops/reduce/reduce_placement.hpp"
#include "poputil/unaliased_input.hpp"

#include <popops/Reduce.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <istream>
#include <ostream>
#include <set>

namespace popops {

using namespace ipumodel;

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace {

struct OperationName {
  Operation op;
  const char *name;
  const char *ofVertex; // as an argument of the vertex template
};

constexpr OperationName kNames[] = {
    {Operation::ADD, "ADD", "popops::ReduceAdd"},
    {Operation::MUL, "MUL", "popops::ReduceMul"},
    {Operation::MIN, "MIN", "popops::ReduceMin"},
    {Operation::MAX, "MAX", "popops::ReduceMax"},
    {Operation::LOGICAL_AND, "LOGICAL_AND", "popops::ReduceAnd"},
    {Operation::LOGICAL_OR, "LOGICAL_OR", "popops::ReduceOr"},
    {Operation::SQUARE_ADD, "SQUARE_ADD", "popops::ReduceSquareAdd"},
    {Operation::LOG_ADD, "LOG_ADD", "popops::ReduceLogAdd"},
};

bool isFloat(const Type &type) {
  return type == poplar::FLOAT || type == poplar::HALF;
}

bool sums(Operation op) {
  return op == Operation::ADD || op == Operation::SQUARE_ADD ||
         op == Operation::LOG_ADD;
}

bool isSupported(Operation op, const Type &in, const Type &out) {
  switch (op) {
  case Operation::LOGICAL_AND:
  case Operation::LOGICAL_OR:
    return in == poplar::BOOL && out == poplar::BOOL;
  case Operation::LOG_ADD:
    return isFloat(in) && isFloat(out);
  case Operation::MIN:
  case Operation::MAX:
    return in == out &&
           (isFloat(in) || in == poplar::INT || in == poplar::UNSIGNED_INT);
  default:
    return (isFloat(in) && isFloat(out)) ||
           (in == poplar::INT && out == poplar::INT);
  }
}

void checkOptions(const OptionFlags &options) {
  using poplibs::OptionHandler;
  int type = 0;
  const std::map<std::string, int> types = {{"half", 0}, {"float", 1}};
  const poplibs::OptionSpec spec{
      {"accumType.interTile", OptionHandler::createWithEnum(type, types)},
      {"accumType.inVertex", OptionHandler::createWithEnum(type, types)},
  };
  for (const auto &option : options)
    spec.parse(option.first, option.second);
}

std::vector<std::size_t> keptShape(const Tensor &in,
                                   const std::vector<std::size_t> &dims) {
  const std::set<std::size_t> reduced(dims.begin(), dims.end());
  if (!reduced.empty() && *reduced.rbegin() >= in.rank())
    throw poplibs_error("reduce: there is no dimension " +
                        std::to_string(*reduced.rbegin()) +
                        " in a tensor of shape " + in.shapeToString());
  std::vector<std::size_t> shape;
  for (unsigned d = 0; d < in.rank(); ++d)
    if (!reduced.count(d))
      shape.push_back(in.dim(d));
  return shape;
}

std::vector<std::size_t> withoutOnes(const std::vector<std::size_t> &shape) {
  std::vector<std::size_t> result;
  for (const std::size_t size : shape)
    if (size != 1)
      result.push_back(size);
  return result;
}

void completeMapping(Graph &graph, const Tensor &in, const Tensor &out,
                     const std::vector<std::size_t> &dims) {
  bool complete = false;
  graph.getTileMapping(out, &complete);
  if (!complete)
    placeReduced(graph, in, out, dims);
}

} // namespace

std::ostream &operator<<(std::ostream &os, const Operation &op) {
  for (const OperationName &entry : kNames)
    if (entry.op == op)
      return os << entry.name;
  throw poplibs_error("Unrecognised operation.");
}

std::istream &operator>>(std::istream &is, Operation &op) {
  std::string token;
  is >> token;
  for (const OperationName &entry : kNames)
    if (token == entry.name) {
      op = entry.op;
      return is;
    }
  throw poplibs_error("Unknown operation '" + token + "'");
}

namespace {

// Checks a reduction, completes the mapping of its output and provides the
// arguments of the kernel.
struct CheckedReduction {
  std::vector<Tensor> inputs;
  ipumodel::Reduction what;
};

CheckedReduction makeReduction(Graph &graph, const Tensor &in,
                               const Tensor &out,
                               const std::vector<std::size_t> &dims,
                               const ReduceParams &params,
                               const OptionFlags &options) {
  checkOptions(options);
  const std::vector<std::size_t> shape = keptShape(in, dims);
  if (withoutOnes(out.shape()) != withoutOnes(shape))
    throw poplibs_error("reduce: an output of shape " + out.shapeToString() +
                        " does not match " + in.shapeToString() +
                        " without the reduced dimensions");
  if (!isSupported(params.op, in.elementType(), out.elementType()))
    throw poplibs_error(
        "reduce: " + in.elementType().toString().cloneAsString() + " to " +
        out.elementType().toString().cloneAsString() +
        " is not supported for this operation");
  if ((params.useScale || params.update) && !sums(params.op))
    throw poplibs_error("reduce: scale and update are only for ADD, SQUARE_ADD "
                        "and LOG_ADD");
  if (params.useScale && (params.scale.elementType() != poplar::FLOAT ||
                          params.scale.numElements() != 1))
    throw poplibs_error("reduce: scale must be one FLOAT");
  if (params.op == Operation::LOG_ADD && in.numElements() == 0)
    throw poplibs_error("reduce: LOG_ADD of no elements has no value");
  completeMapping(graph, in, out, dims);
  std::vector<Tensor> inputs = {in};
  if (params.useScale)
    inputs.push_back(params.scale);
  if (params.update)
    inputs.push_back(out);
  return {std::move(inputs), {params.op, dims, params.useScale, params.update}};
}

Tensor addOutput(Graph &graph, const Tensor &in, const Type &outType,
                 const std::vector<std::size_t> &dims,
                 const ReduceParams &params, const DebugContext &debugContext) {
  if (params.update)
    throw poplibs_error(
        "reduce: there is nothing to update; use reduceWithOutput");
  return graph.addVariable(outType, keptShape(in, dims), debugContext);
}

// True if each result is the one element it is made of.
bool isCopy(const Tensor &in, const Tensor &out, const ReduceParams &params) {
  return in.numElements() == out.numElements() &&
         in.elementType() == out.elementType() && !params.useScale &&
         !params.update && params.op != Operation::SQUARE_ADD;
}

} // namespace

void reduceWithOutput(Graph &graph, const Tensor &in, const Tensor &out,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      Sequence &prog, const DebugContext &debugContext,
                      const OptionFlags &options) {
  CheckedReduction reduction =
      makeReduction(graph, in, out, dims, params, options);
  if (out.numElements() == 0)
    return;
  reduction.inputs[0] =
      ipumodel::unaliasedInput(out, in, graph, prog, debugContext);
  if (isCopy(in, out, params)) {
    prog.add(poplar::program::Copy(reduction.inputs[0].reshape(out.shape()),
                                   out, false, debugContext));
    return;
  }
  ipumodel::addNative(prog, std::move(reduction.what), {out}, reduction.inputs,
                      debugContext);
}

void reduceWithOutput(Graph &graph, const Tensor &in, const Tensor &out,
                      const std::vector<std::size_t> &dims, ReduceParams params,
                      std::vector<poplar::ComputeSet> &css,
                      const DebugContext &debugContext,
                      const OptionFlags &options) {
  CheckedReduction reduction =
      makeReduction(graph, in, out, dims, params, options);
  css.push_back(graph.addComputeSet(debugContext));
  ipumodel::addNative(graph, css.back(), std::move(reduction.what), {out},
                      reduction.inputs, debugContext);
}

Tensor reduce(Graph &graph, const Tensor &in, const Type &outType,
              const std::vector<std::size_t> &dims, ReduceParams params,
              Sequence &prog, const DebugContext &debugContext,
              const OptionFlags &options) {
  const Tensor out = addOutput(graph, in, outType, dims, params, debugContext);
  reduceWithOutput(graph, in, out, dims, std::move(params), prog, debugContext,
                   options);
  return out;
}

Tensor reduce(Graph &graph, const Tensor &in,
              const std::vector<std::size_t> &dims, ReduceParams params,
              Sequence &prog, const DebugContext &debugContext,
              const OptionFlags &options) {
  return reduce(graph, in, in.elementType(), dims, std::move(params), prog,
                debugContext, options);
}

Tensor reduce(Graph &graph, const Tensor &in, const Type &outType,
              const std::vector<std::size_t> &dims, ReduceParams params,
              std::vector<poplar::ComputeSet> &css,
              const DebugContext &debugContext, const OptionFlags &options) {
  const Tensor out = addOutput(graph, in, outType, dims, params, debugContext);
  reduceWithOutput(graph, in, out, dims, std::move(params), css, debugContext,
                   options);
  return out;
}

Tensor reduce(Graph &graph, const Tensor &in,
              const std::vector<std::size_t> &dims, ReduceParams params,
              std::vector<poplar::ComputeSet> &css,
              const DebugContext &debugContext, const OptionFlags &options) {
  return reduce(graph, in, in.elementType(), dims, std::move(params), css,
                debugContext, options);
}

void reduceMany(Graph &graph, const std::vector<SingleReduceOp> &reductions,
                std::vector<Tensor> &outputs, Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options) {
  if (!outputs.empty() && outputs.size() != reductions.size())
    throw poplibs_error("reduceMany: " + std::to_string(outputs.size()) +
                        " outputs for " + std::to_string(reductions.size()) +
                        " reductions");
  const bool create = outputs.empty();
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const SingleReduceOp &reduction = reductions[i];
    const DebugContext context(debugContext, reduction.debugName);
    if (!create)
      reduceWithOutput(graph, reduction.in, outputs[i], reduction.dims,
                       reduction.params, prog, context, options);
    else
      outputs.push_back(reduce(
          graph, reduction.in,
          reduction.useOutType ? reduction.outType : reduction.in.elementType(),
          reduction.dims, reduction.params, prog, context, options));
  }
}

} // namespace popops

namespace ipumodel {

std::string Reduction::vertexType(const NativeOp &op) const {
  std::string ofVertex;
  for (const popops::OperationName &entry : popops::kNames)
    if (entry.op == operation)
      ofVertex = entry.ofVertex;
  return poputil::templateVertex(
      hasScale ? "popops::ScaledReduce" : "popops::Reduce", ofVertex,
      op.inputs.at(0)->type, op.outputs.at(0)->type, update,
      "popops::ReductionSpecialisation::DEFAULT");
}

} // namespace ipumodel
