#include "poplar/plan/native_kernel.hpp"
#include "popnn/softmax_kernel.hpp"
#include "popops/map/map_program.hpp"

#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {

using ipumodel::SoftmaxKind;
using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;
namespace pe = popops::expr;
using pe::Const;

namespace {

// Keeps small probabilities out of the subnormal range of HALF.
constexpr float kSoftmaxScale = 62000.0f;
constexpr float kGeluAlpha = 0.7978845608f; // sqrt(2 / pi)
constexpr float kGeluBeta = 0.044715f;

bool isSoftmax(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX ||
         type == NonLinearityType::SOFTMAX_STABLE ||
         type == NonLinearityType::SOFTMAX_SCALED;
}

void checkType(const Tensor &t) {
  if (t.elementType() != poplar::FLOAT && t.elementType() != poplar::HALF)
    throw poplibs_error("non-linearity of " +
                        t.elementType().toString().cloneAsString() +
                        ": only HALF and FLOAT are supported");
  if (t.rank() == 0)
    throw poplibs_error("non-linearity of a tensor of rank 0");
}

// Where codelets compute in float, the result is rounded to the tensor's type
// once.
pe::Any widened(const pe::Expr &value, const poplar::Type &type) {
  return type == poplar::HALF ? pe::Any(pe::Cast(value, poplar::FLOAT))
                              : pe::Any(value);
}
pe::Any rounded(const pe::Expr &value, const poplar::Type &type) {
  return type == poplar::HALF ? pe::Any(pe::Cast(value, type)) : pe::Any(value);
}

// The element-wise ones as expressions of the input.
pe::Any forward(NonLinearityType nonLinearity, const poplar::Type &type) {
  const pe::Any wide = widened(pe::_1, type);
  const pe::Expr &x = wide;
  switch (nonLinearity) {
  case NonLinearityType::SIGMOID:
    return pe::Sigmoid(pe::_1);
  case NonLinearityType::HARD_SIGMOID:
    return pe::Clamp(pe::_1 * Const(0.2f) + Const(0.5f), Const(0.0f),
                     Const(1.0f));
  case NonLinearityType::RELU:
    return pe::Max(pe::_1, Const(0.0f));
  case NonLinearityType::TANH:
    return pe::Tanh(pe::_1);
  case NonLinearityType::GELU:
    return rounded(
        Const(0.5f) * x *
            (Const(1.0f) + pe::Tanh(Const(kGeluAlpha) * x *
                                    (Const(1.0f) + Const(kGeluBeta) * x * x))),
        type);
  case NonLinearityType::GELU_ERF:
    return pe::GeluErf(pe::_1);
  case NonLinearityType::SWISH:
    return rounded(x * pe::Sigmoid(x), type);
  default:
    throw poplibs_error("not an element-wise non-linearity");
  }
}

// The factor of the output's gradient; x is `act`.
pe::Any derivative(NonLinearityType nonLinearity, const pe::Expr &x) {
  switch (nonLinearity) {
  case NonLinearityType::SIGMOID:
    return x * (Const(1.0f) - x);
  case NonLinearityType::TANH:
    return Const(1.0f) - x * x;
  case NonLinearityType::GELU: {
    const auto t = pe::Tanh(Const(kGeluAlpha) * x *
                            (Const(1.0f) + Const(kGeluBeta) * x * x));
    return Const(0.5f) * (Const(1.0f) + t) +
           Const(0.5f * kGeluAlpha) * x * (Const(1.0f) - t * t) *
               (Const(1.0f) + Const(3 * kGeluBeta) * x * x);
  }
  case NonLinearityType::GELU_ERF: {
    const float inverseRoot2 = 0.7071067811865475f;
    const float inverseRoot2Pi = 0.3989422804014327f;
    return Const(0.5f) * (Const(1.0f) + pe::Erf(x * Const(inverseRoot2))) +
           x * Const(inverseRoot2Pi) * pe::Exp(Const(-0.5f) * x * x);
  }
  case NonLinearityType::SWISH: {
    const auto s = pe::Sigmoid(x);
    return s * (Const(1.0f) + x * (Const(1.0f) - s));
  }
  default:
    throw poplibs_error("not an element-wise non-linearity");
  }
}

// The gradients: _1 is `act`, _2 the gradient of the output.
pe::Any gradient(NonLinearityType nonLinearity, const poplar::Type &type) {
  const pe::PlaceHolder x = pe::_1, g = pe::_2;
  switch (nonLinearity) {
  case NonLinearityType::HARD_SIGMOID:
    return pe::Select(g * Const(0.2f), Const(0.0f),
                      pe::Lte(pe::Abs(x), Const(2.5f)));
  case NonLinearityType::RELU:
    return pe::Select(g, Const(0.0f), pe::Gt(x, Const(0.0f)));
  default:
    return pe::Mul(g,
                   rounded(derivative(nonLinearity, widened(x, type)), type));
  }
}

void addSoftmax(const Tensor &in, const Tensor &out, SoftmaxKind kind,
                float factor, Sequence &prog,
                const DebugContext &debugContext) {
  ipumodel::addNative(prog, ipumodel::Softmax{kind, factor}, {out}, {in},
                      debugContext);
}

void addSoftmax(const Tensor &in, const Tensor &out, NonLinearityType type,
                Sequence &prog, const DebugContext &debugContext) {
  addSoftmax(in, out,
             type == NonLinearityType::SOFTMAX ? SoftmaxKind::plain
                                               : SoftmaxKind::stable,
             type == NonLinearityType::SOFTMAX_SCALED ? kSoftmaxScale : 1.0f,
             prog, debugContext);
}

void checkFitsComputeSet(NonLinearityType type) {
  if (isSoftmax(type) || type == NonLinearityType::HARD_SIGMOID)
    throw poplibs_error("Softmax and hard sigmoid cannot be part of a compute "
                        "set");
}

void addMap(Graph &graph, const ComputeSet &cs, const pe::Any &expr,
            const Tensor &out, const std::vector<Tensor> &inputs,
            const DebugContext &debugContext) {
  std::vector<poplar::Type> types;
  for (const Tensor &input : inputs)
    types.push_back(input.elementType());
  ipumodel::MapBuilder builder(types);
  builder.output(builder.evaluate(expr));
  ipumodel::addMap(graph, cs, builder, {out}, inputs, debugContext);
}

void checkWriteable(const Tensor &t) {
  if (!t.isParallelWriteable())
    throw poplibs_error("nonLinearityInPlace: the tensor cannot be written to");
}

void checkGradient(const Tensor &act, const Tensor &outGradient) {
  if (act.shape() != outGradient.shape())
    throw poplibs_error("nonLinearityInputGradient: the activation has shape " +
                        act.shapeToString() + ", the gradient " +
                        outGradient.shapeToString());
  if (act.elementType() != outGradient.elementType())
    throw poplibs_error("nonLinearityInputGradient: the activation is " +
                        act.elementType().toString().cloneAsString() +
                        ", the gradient " +
                        outGradient.elementType().toString().cloneAsString());
}

} // namespace

Tensor nonLinearity(Graph &graph, NonLinearityType nonLinearityType, Tensor t,
                    Sequence &prog, const DebugContext &debugContext) {
  checkType(t);
  if (!isSoftmax(nonLinearityType))
    return popops::map(graph, forward(nonLinearityType, t.elementType()), {t},
                       prog, debugContext);
  const Tensor out = graph.clone(t, debugContext);
  addSoftmax(t, out, nonLinearityType, prog, debugContext);
  return out;
}

Tensor nonLinearity(Graph &graph, NonLinearityType nonLinearityType, Tensor t,
                    float &nonLinearityScaling, Sequence &prog,
                    const DebugContext &debugContext) {
  nonLinearityScaling = nonLinearityType == NonLinearityType::SOFTMAX_SCALED
                            ? kSoftmaxScale
                            : 1.0f;
  return nonLinearity(graph, nonLinearityType, t, prog, debugContext);
}

void nonLinearityInPlace(Graph &graph, NonLinearityType nonLinearityType,
                         Tensor t, Sequence &prog,
                         const DebugContext &debugContext) {
  checkType(t);
  checkWriteable(t);
  if (isSoftmax(nonLinearityType))
    addSoftmax(t, t, nonLinearityType, prog, debugContext);
  else
    popops::mapInPlace(graph, forward(nonLinearityType, t.elementType()), {t},
                       prog, debugContext);
}

void nonLinearityInPlace(Graph &graph, NonLinearityType nonLinearityType,
                         Tensor t, float &nonLinearityScaling, Sequence &prog,
                         const DebugContext &debugContext) {
  nonLinearityScaling = nonLinearityType == NonLinearityType::SOFTMAX_SCALED
                            ? kSoftmaxScale
                            : 1.0f;
  nonLinearityInPlace(graph, nonLinearityType, t, prog, debugContext);
}

void nonLinearityInPlace(Graph &graph, NonLinearityType nonLinearityType,
                         Tensor t, ComputeSet &cs,
                         const DebugContext &debugContext) {
  checkType(t);
  checkWriteable(t);
  checkFitsComputeSet(nonLinearityType);
  addMap(graph, cs, forward(nonLinearityType, t.elementType()), t, {t},
         debugContext);
}

void nonLinearityInPlace(Graph &graph, NonLinearityType nonLinearityType,
                         Tensor t, float &nonLinearityScaling, ComputeSet &cs,
                         const DebugContext &debugContext) {
  nonLinearityScaling = 1.0f;
  nonLinearityInPlace(graph, nonLinearityType, t, cs, debugContext);
}

Tensor nonLinearityInputGradient(Graph &graph,
                                 NonLinearityType nonLinearityType, Tensor act,
                                 Tensor outGradient, ComputeSet &cs,
                                 const DebugContext &debugContext) {
  checkType(act);
  checkGradient(act, outGradient);
  checkFitsComputeSet(nonLinearityType);
  const Tensor out = graph.clone(outGradient, debugContext);
  addMap(graph, cs, gradient(nonLinearityType, act.elementType()), out,
         {act, outGradient}, debugContext);
  return out;
}

Tensor nonLinearityInputGradient(Graph &graph,
                                 NonLinearityType nonLinearityType, Tensor act,
                                 Tensor outGradient, Sequence &prog,
                                 const DebugContext &debugContext) {
  checkType(act);
  checkGradient(act, outGradient);
  if (!isSoftmax(nonLinearityType))
    return popops::map(graph, gradient(nonLinearityType, act.elementType()),
                       {act, outGradient}, prog, debugContext);
  const Tensor out = graph.clone(outGradient, debugContext);
  ipumodel::addNative(prog, ipumodel::SoftmaxGradient{}, {out},
                      {act, outGradient}, debugContext);
  return out;
}

void logSoftmaxInPlace(Graph &, Tensor t, Sequence &prog,
                       const DebugContext &debugContext) {
  checkType(t);
  addSoftmax(t, t, SoftmaxKind::log, 1.0f, prog, debugContext);
}

Tensor logSoftmax(Graph &graph, Tensor t, Sequence &prog,
                  const DebugContext &debugContext) {
  checkType(t);
  const Tensor out = graph.clone(t, debugContext);
  addSoftmax(t, out, SoftmaxKind::log, 1.0f, prog, debugContext);
  return out;
}

} // namespace popnn
