#include "poplar/graph/tensor_checks.hpp"
#include "popops/expr/expr_rewrite.hpp"
#include "popops/expr/expr_types.hpp"
#include "popops/expr/op_names.hpp"
#include "popops/map/map_program.hpp"

#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <sstream>

namespace poputil {

using popops::expr::BinaryOpType;
using popops::expr::Expr;
using popops::expr::TernaryOpType;
using popops::expr::UnaryOpType;

template <> poplar::ProfileValue toProfileValue(const UnaryOpType &op) {
  return poplar::ProfileValue(ipumodel::nameOf(op));
}
template <> poplar::ProfileValue toProfileValue(const BinaryOpType &op) {
  return poplar::ProfileValue(ipumodel::nameOf(op));
}
template <> poplar::ProfileValue toProfileValue(const TernaryOpType &op) {
  return poplar::ProfileValue(ipumodel::nameOf(op));
}
template <> poplar::ProfileValue toProfileValue(const Expr &expr) {
  std::ostringstream text;
  expr.print(text, 0, false);
  return poplar::ProfileValue(text.str());
}
template <> poplar::ProfileValue toProfileValue(const popops::expr::Any &any) {
  return toProfileValue(static_cast<const Expr &>(any));
}

} // namespace poputil

namespace popops {

namespace {

using namespace ipumodel;

using expr::Any;
using expr::Expr;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;
using Shape = std::vector<std::size_t>;

struct MapOptions {
  bool optimise = true;
};

// Most options select between methods with equal results, which do not exist
// here.
MapOptions mapOptions(const OptionFlags &flags) {
  MapOptions options;
  bool ignored;
  const poplibs::OptionSpec spec{
      {"enableGenerateCodelet",
       poplibs::OptionHandler::createWithBool(ignored)},
      {"enableVectorBroadcastOptimisations",
       poplibs::OptionHandler::createWithBool(ignored)},
      {"forceGenerateCodelet", poplibs::OptionHandler::createWithBool(ignored)},
      {"enableExpressionOptimizations",
       poplibs::OptionHandler::createWithBool(options.optimise)}};
  for (const auto &entry : flags)
    spec.parse(entry.first, entry.second);
  return options;
}

std::vector<Type> typesOf(const std::vector<Tensor> &tensors) {
  std::vector<Type> types;
  for (const Tensor &tensor : tensors)
    types.push_back(tensor.elementType());
  return types;
}

Shape broadcastShapes(const Shape &a, const Shape &b) {
  Shape shape(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t fromA = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::size_t fromB = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (fromA != fromB && fromA != 1 && fromB != 1)
      throw poplibs_error("Operands of shapes " + ipumodel::shapeText(a) +
                          " and " + ipumodel::shapeText(b) +
                          " cannot be broadcast to match");
    shape[shape.size() - 1 - i] = fromA == 1 ? fromB : fromA;
  }
  return shape;
}

// Constants have the shape of one element.
Shape shapeOf(const Expr &expr, const std::vector<Tensor> &ts) {
  if (const auto *p = expr.getAs<expr::PlaceHolder>())
    return operandOf(*p, ts).shape();
  if (const auto *cast = expr.getAs<expr::Cast>())
    return shapeOf(cast->getLHS(), ts);
  if (const auto *unary = expr.getAs<expr::UnaryOp>())
    return shapeOf(unary->getArg(), ts);
  if (const auto *binary = expr.getAs<expr::BinaryOp>()) {
    const Shape rhs = shapeOf(binary->getRHS(), ts);
    const expr::BinaryOpType op = binary->getOpType();
    if ((op == expr::BinaryOpType::INV_STD_DEV_TO_VARIANCE ||
         op == expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV) &&
        ipumodel::product(rhs) != 1)
      throw poplibs_error("The second operand of " + std::string(nameOf(op)) +
                          " must be a single element");
    return broadcastShapes(shapeOf(binary->getLHS(), ts), rhs);
  }
  if (const auto *ternary = expr.getAs<expr::TernaryOp>())
    return broadcastShapes(broadcastShapes(shapeOf(ternary->getArg0(), ts),
                                           shapeOf(ternary->getArg1(), ts)),
                           shapeOf(ternary->getArg2(), ts));
  return {};
}

bool sameButForSingletons(Shape a, Shape b) {
  const auto dropSingletons = [](Shape &shape) {
    shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
  };
  dropSingletons(a);
  dropSingletons(b);
  return a == b;
}

// The only operator whose operands may differ in type: HALF elements times one
// FLOAT. Returns the index of the HALF operand, or -1.
int halfOperandOfMixedMultiply(const Expr &expr,
                               const std::vector<Tensor> &ts) {
  using expr::_1;
  using expr::_2;
  if (ts.size() != 2 || !expr.deepEquals(expr::Mul(_1, _2)))
    return -1;
  for (int half : {0, 1})
    if (ts[std::size_t(half)].elementType() == poplar::HALF &&
        ts[std::size_t(1 - half)].elementType() == poplar::FLOAT &&
        ts[std::size_t(1 - half)].numElements() == 1)
      return half;
  return -1;
}

// Several expressions over the same tensors, in one program.
class Evaluation {
public:
  Evaluation(const std::vector<Tensor> &ts, const OptionFlags &options)
      : ts_(ts), types_(typesOf(ts)), options_(mapOptions(options)),
        builder_(types_) {}

  void add(const Expr &expr) {
    const int half = halfOperandOfMixedMultiply(expr, ts_);
    const MapValue value =
        half >= 0 ? multiplyMixed(std::size_t(half)) : evaluate(expr);
    types.push_back(value.type);
    shapes.push_back(shapeOf(expr, ts_));
    builder_.output(value);
  }

  // True if all expressions have the same shape, so that one pass can evaluate
  // them.
  bool isOnePass() const {
    return std::all_of(shapes.begin(), shapes.end(),
                       [&](const Shape &shape) { return shape == shapes[0]; });
  }

  Tensor createOutput(Graph &graph, std::size_t index,
                      const DebugContext &debugContext) const {
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < ts_.size(); ++i) {
      if (!builder_.isUsed(i))
        continue;
      inputs.push_back(ts_[i]);
      poputil::broadcastToMatch(inputs.back(), shapes[index]);
    }
    if (!inputs.empty())
      return createOutputForElementWiseOp(graph, inputs, types[index],
                                          debugContext);
    const Tensor output =
        graph.addVariable(types[index], shapes[index], debugContext);
    graph.setTileMapping(output, 0);
    return output;
  }

  void checkOutput(std::size_t index, const Tensor &output) const {
    if (output.elementType() != types[index])
      throw poplibs_error("The expression has type " + types[index].toString() +
                          ", its output has type " +
                          output.elementType().toString());
    if (!sameButForSingletons(output.shape(), shapes[index]))
      throw poplibs_error("The expression has shape " +
                          ipumodel::shapeText(shapes[index]) +
                          ", its output has shape " + output.shapeToString());
    if (!output.isParallelWriteable())
      throw poplibs_error("The output of an element-wise operation contains "
                          "constants, or elements more than once");
  }

  void addTo(Sequence &prog, std::vector<Tensor> outputs,
             const DebugContext &debugContext) const {
    for (Tensor &output : outputs)
      output = output.reshape(shapes[0]);
    addMap(prog, builder_, outputs, ts_, debugContext);
  }

  MapProgram program() const { return builder_.finish(); }

  std::vector<Type> types;   // by expression
  std::vector<Shape> shapes; // by expression

private:
  MapValue evaluate(const Expr &expr) {
    return options_.optimise ? builder_.evaluate(*rewriteExpr(expr, types_))
                             : builder_.evaluate(expr);
  }

  // Uses the scale as a HALF if that is accurate enough.
  MapValue multiplyMixed(std::size_t half) {
    constexpr float kTolerance = 1e-6f;
    const MapValue product = builder_.apply(
        expr::BinaryOpType::MULTIPLY,
        builder_.cast(builder_.input(half), poplar::FLOAT),
        builder_.snapToHalf(builder_.input(1 - half), kTolerance));
    return builder_.cast(product, poplar::HALF);
  }

  const std::vector<Tensor> &ts_;
  std::vector<Type> types_;
  MapOptions options_;
  MapBuilder builder_;
};

bool overlapsAny(const Tensor &tensor, const std::vector<Tensor> &others) {
  return std::any_of(others.begin(), others.end(), [&](const Tensor &other) {
    return tensor.getImpl()->view.overlaps(other.getImpl()->view);
  });
}

// True if no output is an input and no two outputs are the same; only then is
// the order of the expressions irrelevant.
bool areIndependent(const std::vector<Tensor> &outs,
                    const std::vector<Tensor> &ts) {
  for (std::size_t i = 0; i < outs.size(); ++i)
    if (overlapsAny(outs[i], ts) ||
        overlapsAny(outs[i],
                    {outs.begin() + std::ptrdiff_t(i) + 1, outs.end()}))
      return false;
  return true;
}

} // namespace

Tensor map(Graph &graph, const Expr &expr, const std::vector<Tensor> &ts,
           Sequence &prog, const DebugContext &debugContext,
           const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(expr, ts, options));
  Evaluation evaluation(ts, options);
  evaluation.add(expr);
  const Tensor output = evaluation.createOutput(graph, 0, {di});
  evaluation.addTo(prog, {output}, {di});
  di.addOutput(output);
  return output;
}

std::vector<Tensor> map(Graph &graph, const std::vector<Any> &exprs,
                        const std::vector<Tensor> &ts, Sequence &prog,
                        const DebugContext &debugContext,
                        const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(exprs, ts, options));
  Evaluation evaluation(ts, options);
  for (const Any &expr : exprs)
    evaluation.add(expr);
  std::vector<Tensor> outputs;
  if (!evaluation.isOnePass()) {
    for (const Any &expr : exprs)
      outputs.push_back(
          map(graph, static_cast<const Expr &>(expr), ts, prog, {di}, options));
    return outputs;
  }
  for (std::size_t i = 0; i < exprs.size(); ++i)
    outputs.push_back(evaluation.createOutput(graph, i, {di}));
  if (!outputs.empty())
    evaluation.addTo(prog, outputs, {di});
  return outputs;
}

void mapInPlace(Graph &, const Expr &expr, const std::vector<Tensor> &ts,
                Sequence &prog, const DebugContext &debugContext,
                const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(expr, ts, options));
  if (ts.empty())
    throw poplibs_error("mapInPlace needs a tensor to write to");
  Evaluation evaluation(ts, options);
  evaluation.add(expr);
  evaluation.checkOutput(0, ts[0]);
  evaluation.addTo(prog, {ts[0]}, {di});
}

void mapInPlace(Graph &graph, const std::vector<Any> &exprs,
                const std::vector<Tensor> &ts, Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(exprs, ts, options));
  if (exprs.size() > ts.size())
    throw poplibs_error("mapInPlace has " + std::to_string(exprs.size()) +
                        " expressions for " + std::to_string(ts.size()) +
                        " tensors");
  Evaluation evaluation(ts, options);
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    evaluation.add(exprs[i]);
    evaluation.checkOutput(i, ts[i]);
  }
  if (exprs.empty())
    return;
  const std::vector<Tensor> outs(ts.begin(),
                                 ts.begin() + std::ptrdiff_t(exprs.size()));
  if (evaluation.isOnePass() && areIndependent(outs, {})) {
    evaluation.addTo(prog, outs, {di});
    return;
  }
  const std::vector<Tensor> results =
      map(graph, exprs, ts, prog, {di}, options);
  for (std::size_t i = 0; i < results.size(); ++i)
    prog.add(poplar::program::Copy(results[i].reshape(ts[i].shape()), ts[i],
                                   false, {di}));
}

void mapWithOutput(Graph &, const Expr &expr, const std::vector<Tensor> &ts,
                   const Tensor &out, Sequence &prog,
                   const DebugContext &debugContext,
                   const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(expr, ts, out, options));
  Evaluation evaluation(ts, options);
  evaluation.add(expr);
  evaluation.checkOutput(0, out);
  evaluation.addTo(prog, {out}, {di});
}

void mapWithOutput(Graph &graph, const std::vector<Any> &exprs,
                   const std::vector<Tensor> &ts,
                   const std::vector<Tensor> &outs, Sequence &prog,
                   const DebugContext &debugContext,
                   const OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(exprs, ts, outs, options));
  if (exprs.size() != outs.size())
    throw poplibs_error("mapWithOutput has " + std::to_string(exprs.size()) +
                        " expressions for " + std::to_string(outs.size()) +
                        " outputs");
  Evaluation evaluation(ts, options);
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    evaluation.add(exprs[i]);
    evaluation.checkOutput(i, outs[i]);
  }
  if (exprs.empty())
    return;
  if (evaluation.isOnePass() && areIndependent(outs, ts)) {
    evaluation.addTo(prog, outs, {di});
    return;
  }
  for (std::size_t i = 0; i < exprs.size(); ++i)
    mapWithOutput(graph, static_cast<const Expr &>(exprs[i]), ts, outs[i], prog,
                  {di}, options);
}

void outputGeneratedCodelet(const poplar::Target &, const Expr &expr,
                            const std::vector<Tensor> &ts,
                            const OptionFlags &options, std::ostream &os) {
  Evaluation evaluation(ts, options);
  evaluation.add(expr);
  os << evaluation.program();
}

} // namespace popops
