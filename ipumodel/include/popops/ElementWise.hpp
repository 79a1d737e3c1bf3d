// Element-wise operations: expressions over tensors, and one function for each
// operator. Long, because the public API has all of them in one header.
//
// Operands are broadcast as in NumPy; both operands of an operator have the
// same element type. All functions append to `prog`. They throw poplibs_error
// if shapes or types do not match, and poplar::invalid_option for unknown
// options.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/Expr.hpp>
#include <poputil/DebugInfo.hpp>

#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace poputil {

template <>
poplar::ProfileValue toProfileValue(const popops::expr::UnaryOpType &op);
template <>
poplar::ProfileValue toProfileValue(const popops::expr::BinaryOpType &op);
template <>
poplar::ProfileValue toProfileValue(const popops::expr::TernaryOpType &op);

} // namespace poputil

namespace popops {

// Writes how map would evaluate the expression: as the steps of one pass over
// the data, since this engine generates no codelets.
void outputGeneratedCodelet(const poplar::Target &target,
                            const expr::Expr &expr,
                            const std::vector<poplar::Tensor> &ts,
                            const poplar::OptionFlags &options,
                            std::ostream &os);

// Evaluates the expression for the tensors; _1 is the first of `ts`. The
// options are "true" or "false" and do not change results:
// enableGenerateCodelet, enableVectorBroadcastOptimisations,
// forceGenerateCodelet, enableExpressionOptimizations.
poplar::Tensor map(poplar::Graph &graph, const expr::Expr &expr,
                   const std::vector<poplar::Tensor> &ts,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});

// Several expressions of the same tensors.
std::vector<poplar::Tensor> map(poplar::Graph &graph,
                                const std::vector<expr::Any> &exprs,
                                const std::vector<poplar::Tensor> &ts,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {});

// Replaces the first of `ts` by the result, as if the whole expression were
// evaluated before anything is written.
void mapInPlace(poplar::Graph &graph, const expr::Expr &expr,
                const std::vector<poplar::Tensor> &ts,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});

// Result i replaces tensor i; all expressions use the old values.
void mapInPlace(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                const std::vector<poplar::Tensor> &ts,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {},
                const poplar::OptionFlags &options = {});

void mapWithOutput(poplar::Graph &graph, const expr::Expr &expr,
                   const std::vector<poplar::Tensor> &ts,
                   const poplar::Tensor &out, poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});

// One expression after the other: later ones use the results of earlier ones.
void mapWithOutput(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                   const std::vector<poplar::Tensor> &ts,
                   const std::vector<poplar::Tensor> &outs,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {});

inline poplar::Tensor map(poplar::Graph &graph, expr::UnaryOpType op,
                          const poplar::Tensor &t,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(op, t, options));
  auto output =
      map(graph, expr::UnaryOp(op, expr::_1), {t}, prog, {di}, options);
  di.addOutput(output);
  return output;
}

inline poplar::Tensor map(poplar::Graph &graph, expr::BinaryOpType op,
                          const poplar::Tensor &a, const poplar::Tensor &b,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(op, a, b, options));
  auto output = map(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog,
                    {di}, options);
  di.addOutput(output);
  return output;
}

inline poplar::Tensor map(poplar::Graph &graph, expr::TernaryOpType op,
                          const poplar::Tensor &a, const poplar::Tensor &b,
                          const poplar::Tensor &c,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(op, a, b, c, options));
  auto output = map(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3),
                    {a, b, c}, prog, {di}, options);
  di.addOutput(output);
  return output;
}

inline void mapInPlace(poplar::Graph &graph, expr::UnaryOpType op,
                       const poplar::Tensor &t, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(op, t, options));
  mapInPlace(graph, expr::UnaryOp(op, expr::_1), {t}, prog, {di}, options);
}

inline void mapInPlace(poplar::Graph &graph, expr::BinaryOpType op,
                       const poplar::Tensor &a, const poplar::Tensor &b,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(op, a, b, options));
  mapInPlace(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, {di},
             options);
}

inline void mapInPlace(poplar::Graph &graph, expr::TernaryOpType op,
                       const poplar::Tensor &a, const poplar::Tensor &b,
                       const poplar::Tensor &c, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(op, a, b, c, options));
  mapInPlace(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3),
             {a, b, c}, prog, {di}, options);
}

inline void mapWithOutput(poplar::Graph &graph, expr::UnaryOpType op,
                          const poplar::Tensor &in, const poplar::Tensor &out,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(op, in, out, options));
  mapWithOutput(graph, expr::UnaryOp(op, expr::_1), {in}, out, prog, {di},
                options);
}

inline void mapWithOutput(poplar::Graph &graph, expr::BinaryOpType op,
                          const poplar::Tensor &a, const poplar::Tensor &b,
                          const poplar::Tensor &out,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(op, a, b, out, options));
  mapWithOutput(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, out,
                prog, {di}, options);
}

inline void mapWithOutput(poplar::Graph &graph, expr::TernaryOpType op,
                          const poplar::Tensor &a, const poplar::Tensor &b,
                          const poplar::Tensor &c, const poplar::Tensor &out,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(op, a, b, c, out, options));
  mapWithOutput(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3),
                {a, b, c}, out, prog, {di}, options);
}

// Constants of the functions below are strict, unlike those in expressions:
// float and double match FLOAT and HALF, other types only the equivalent device
// type.
template <typename constType>
inline void checkTypes(poplar::Type elementType, constType) {
  if (elementType != poplar::equivalent_device_type<constType>().value)
    throw std::runtime_error("The constant's type is not that of the elements");
}
template <> inline void checkTypes<float>(poplar::Type elementType, float) {
  if (elementType != poplar::FLOAT && elementType != poplar::HALF)
    throw std::runtime_error("The constant's type is not that of the elements");
}
template <> inline void checkTypes<double>(poplar::Type elementType, double) {
  if (elementType != poplar::FLOAT && elementType != poplar::HALF)
    throw std::runtime_error("The constant's type is not that of the elements");
}

// The macros below define
//   name(A), nameWithOutput(A, out), nameInPlace(A)
// for unary operators, and for binary ones
//   name(A, B), nameWithOutput(A, B, out), nameInPlace(A, B)
// where either operand may be a C++ constant, but in place only the second.

#define POPOPS_UNARY_NOT_IN_PLACE(name, OP)                                    \
  inline poplar::Tensor name(poplar::Graph &graph, const poplar::Tensor &A,    \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {},    \
                             const poplar::OptionFlags &options = {}) {        \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, options));         \
    auto output = map(graph, expr::UnaryOpType::OP, A, prog, {di}, options);   \
    di.addOutput(output);                                                      \
    return output;                                                             \
  }                                                                            \
  inline void name##WithOutput(poplar::Graph &graph, const poplar::Tensor &A,  \
                               const poplar::Tensor &out,                      \
                               poplar::program::Sequence &prog,                \
                               const poplar::DebugContext &debugContext = {},  \
                               const poplar::OptionFlags &options = {}) {      \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, out, options));    \
    mapWithOutput(graph, expr::UnaryOpType::OP, A, out, prog, {di}, options);  \
  }

#define POPOPS_UNARY(name, OP)                                                 \
  POPOPS_UNARY_NOT_IN_PLACE(name, OP)                                          \
  inline void name##InPlace(poplar::Graph &graph, const poplar::Tensor &A,     \
                            poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {},     \
                            const poplar::OptionFlags &options = {}) {         \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, options));         \
    mapInPlace(graph, expr::UnaryOpType::OP, A, prog, {di}, options);          \
  }

// A constant operand as a tensor of the other's element type, on tile 0.
#define POPOPS_CONSTANT(tensor, value, other)                                  \
  checkTypes(other.elementType(), value);                                      \
  const auto tensor = graph.addConstant(other.elementType(), {}, value, {di}); \
  graph.setTileMapping(tensor, 0);

#define POPOPS_BINARY(name, OP)                                                \
  inline poplar::Tensor name(poplar::Graph &graph, const poplar::Tensor &A,    \
                             const poplar::Tensor &B,                          \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {},    \
                             const poplar::OptionFlags &options = {}) {        \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, options));      \
    auto output =                                                              \
        map(graph, expr::BinaryOpType::OP, A, B, prog, {di}, options);         \
    di.addOutput(output);                                                      \
    return output;                                                             \
  }                                                                            \
  template <typename constType>                                                \
  inline poplar::Tensor name(poplar::Graph &graph, const poplar::Tensor &A,    \
                             const constType B,                                \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {},    \
                             const poplar::OptionFlags &options = {}) {        \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, options));      \
    POPOPS_CONSTANT(BTensor, B, A)                                             \
    auto output =                                                              \
        map(graph, expr::BinaryOpType::OP, A, BTensor, prog, {di}, options);   \
    di.addOutput(output);                                                      \
    return output;                                                             \
  }                                                                            \
  template <typename constType>                                                \
  inline poplar::Tensor name(poplar::Graph &graph, const constType A,          \
                             const poplar::Tensor &B,                          \
                             poplar::program::Sequence &prog,                  \
                             const poplar::DebugContext &debugContext = {},    \
                             const poplar::OptionFlags &options = {}) {        \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, options));      \
    POPOPS_CONSTANT(ATensor, A, B)                                             \
    auto output =                                                              \
        map(graph, expr::BinaryOpType::OP, ATensor, B, prog, {di}, options);   \
    di.addOutput(output);                                                      \
    return output;                                                             \
  }                                                                            \
  inline void name##InPlace(poplar::Graph &graph, const poplar::Tensor &A,     \
                            const poplar::Tensor &B,                           \
                            poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {},     \
                            const poplar::OptionFlags &options = {}) {         \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, options));      \
    mapInPlace(graph, expr::BinaryOpType::OP, A, B, prog, {di}, options);      \
  }                                                                            \
  template <typename constType>                                                \
  inline void name##InPlace(poplar::Graph &graph, const poplar::Tensor &A,     \
                            const constType B,                                 \
                            poplar::program::Sequence &prog,                   \
                            const poplar::DebugContext &debugContext = {},     \
                            const poplar::OptionFlags &options = {}) {         \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, options));      \
    POPOPS_CONSTANT(BTensor, B, A)                                             \
    mapInPlace(graph, expr::BinaryOpType::OP, A, BTensor, prog, {di},          \
               options);                                                       \
  }                                                                            \
  inline void name##WithOutput(                                                \
      poplar::Graph &graph, const poplar::Tensor &A, const poplar::Tensor &B,  \
      const poplar::Tensor &out, poplar::program::Sequence &prog,              \
      const poplar::DebugContext &debugContext = {},                           \
      const poplar::OptionFlags &options = {}) {                               \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, out, options)); \
    mapWithOutput(graph, expr::BinaryOpType::OP, A, B, out, prog, {di},        \
                  options);                                                    \
  }                                                                            \
  template <typename constType>                                                \
  inline void name##WithOutput(poplar::Graph &graph, const poplar::Tensor &A,  \
                               const constType B, const poplar::Tensor &out,   \
                               poplar::program::Sequence &prog,                \
                               const poplar::DebugContext &debugContext = {},  \
                               const poplar::OptionFlags &options = {}) {      \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, out, options)); \
    POPOPS_CONSTANT(BTensor, B, A)                                             \
    mapWithOutput(graph, expr::BinaryOpType::OP, A, BTensor, out, prog, {di},  \
                  options);                                                    \
  }                                                                            \
  template <typename constType>                                                \
  inline void name##WithOutput(                                                \
      poplar::Graph &graph, const constType A, const poplar::Tensor &B,        \
      const poplar::Tensor &out, poplar::program::Sequence &prog,              \
      const poplar::DebugContext &debugContext = {},                           \
      const poplar::OptionFlags &options = {}) {                               \
    poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, B, out, options)); \
    POPOPS_CONSTANT(ATensor, A, B)                                             \
    mapWithOutput(graph, expr::BinaryOpType::OP, ATensor, B, out, prog, {di},  \
                  options);                                                    \
  }

// Numbers.
POPOPS_UNARY(abs, ABSOLUTE)
POPOPS_UNARY(inv, INVERSE)
POPOPS_UNARY(neg, NEGATE)
POPOPS_UNARY(signum, SIGNUM)
POPOPS_UNARY(square, SQUARE)
POPOPS_UNARY(sqrt, SQRT)
// HALF and FLOAT: round rounds ties away from zero, nearbyint to even.
POPOPS_UNARY(ceil, CEIL)
POPOPS_UNARY(floor, FLOOR)
POPOPS_UNARY(round, ROUND)
POPOPS_UNARY(nearbyint, NEARBY_INT)
// HALF and FLOAT.
POPOPS_UNARY(cbrt, CBRT)
POPOPS_UNARY(exp, EXPONENT)
POPOPS_UNARY(exp2, EXPONENT2)
POPOPS_UNARY(expm1, EXPONENT_MINUS_ONE)
POPOPS_UNARY(log, LOGARITHM)
POPOPS_UNARY(log1p, LOGARITHM_ONE_PLUS)
POPOPS_UNARY(rsqrt, RSQRT)
POPOPS_UNARY(sigmoid, SIGMOID)
POPOPS_UNARY(asin, ASIN)
POPOPS_UNARY(cos, COS)
POPOPS_UNARY(sin, SIN)
POPOPS_UNARY(tan, TAN)
POPOPS_UNARY(tanh, TANH)
POPOPS_UNARY(geluErf, GELU_ERF)
POPOPS_UNARY(erf, ERF)
// Integers.
POPOPS_UNARY(bitwiseNot, BITWISE_NOT)
POPOPS_UNARY(countLeadingZeros, COUNT_LEADING_ZEROS)
POPOPS_UNARY(popcount, POPCOUNT)
// BOOL.
POPOPS_UNARY(logicalNot, LOGICAL_NOT)
// The result is BOOL, so there is no in-place version.
POPOPS_UNARY_NOT_IN_PLACE(isFinite, IS_FINITE)

// Numbers. rem is fmod for floats and truncates for integers; max and min
// return the number if the other operand is NaN.
POPOPS_BINARY(add, ADD)
POPOPS_BINARY(sub, SUBTRACT)
POPOPS_BINARY(mul, MULTIPLY)
POPOPS_BINARY(div, DIVIDE)
POPOPS_BINARY(pow, POWER)
POPOPS_BINARY(rem, REMAINDER)
POPOPS_BINARY(max, MAXIMUM)
POPOPS_BINARY(min, MINIMUM)
POPOPS_BINARY(atan2, ATAN2)

// Integers. shiftRight is logical, for INT too.
POPOPS_BINARY(bitwiseAnd, BITWISE_AND)
POPOPS_BINARY(bitwiseOr, BITWISE_OR)
POPOPS_BINARY(bitwiseXor, BITWISE_XOR)
POPOPS_BINARY(bitwiseXnor, BITWISE_XNOR)
POPOPS_BINARY(shiftLeft, SHIFT_LEFT)
POPOPS_BINARY(shiftRight, SHIFT_RIGHT)
POPOPS_BINARY(shiftRightSignExtend, SHIFT_RIGHT_SIGN_EXTEND)

// BOOL.
POPOPS_BINARY(logicalAnd, LOGICAL_AND)
POPOPS_BINARY(logicalOr, LOGICAL_OR)

// The result is BOOL; in place for BOOL operands only.
POPOPS_BINARY(eq, EQUAL)
POPOPS_BINARY(neq, NOT_EQUAL)
POPOPS_BINARY(gteq, GREATER_THAN_EQUAL)
POPOPS_BINARY(gt, GREATER_THAN)
POPOPS_BINARY(lteq, LESS_THAN_EQUAL)
POPOPS_BINARY(lt, LESS_THAN)

// 1 / x^2 - epsilon and 1 / sqrt(x + epsilon); epsilon is a single element.
POPOPS_BINARY(invStdDevToVariance, INV_STD_DEV_TO_VARIANCE)
POPOPS_BINARY(varianceToInvStdDev, VARIANCE_TO_INV_STD_DEV)

#undef POPOPS_UNARY
#undef POPOPS_UNARY_NOT_IN_PLACE
#undef POPOPS_BINARY
#undef POPOPS_CONSTANT

// The same with a result of another type: HALF or FLOAT.
poplar::Tensor
varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src,
                    const poplar::Tensor &epsilon,
                    poplar::program::Sequence &prog,
                    const poplar::Type dstType = poplar::HALF,
                    const poplar::DebugContext &debugContext = {});
poplar::Tensor
varianceToInvStdDev(poplar::Graph &graph, const poplar::Tensor &src,
                    const float epsilon, poplar::program::Sequence &prog,
                    const poplar::Type dstType = poplar::HALF,
                    const poplar::DebugContext &debugContext = {});
poplar::Tensor
invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src,
                    const poplar::Tensor &epsilon,
                    poplar::program::Sequence &prog,
                    const poplar::Type dstType = poplar::FLOAT,
                    const poplar::DebugContext &debugContext = {});
poplar::Tensor
invStdDevToVariance(poplar::Graph &graph, const poplar::Tensor &src,
                    const float epsilon, poplar::program::Sequence &prog,
                    const poplar::Type dstType = poplar::FLOAT,
                    const poplar::DebugContext &debugContext = {});

// A where the BOOL condition is true, else B.
inline poplar::Tensor select(poplar::Graph &graph, const poplar::Tensor &A,
                             const poplar::Tensor &B,
                             const poplar::Tensor &conditions,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(A, B, conditions, options));
  auto output = map(graph, expr::TernaryOpType::SELECT, A, B, conditions, prog,
                    {di}, options);
  di.addOutput(output);
  return output;
}

inline void selectInPlace(poplar::Graph &graph, const poplar::Tensor &A,
                          const poplar::Tensor &B,
                          const poplar::Tensor &conditions,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(A, B, conditions, options));
  mapInPlace(graph, expr::TernaryOpType::SELECT, A, B, conditions, prog, {di},
             options);
}

inline void selectWithOutput(poplar::Graph &graph, const poplar::Tensor &A,
                             const poplar::Tensor &B,
                             const poplar::Tensor &conditions,
                             const poplar::Tensor &out,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(A, B, conditions, out, options));
  mapWithOutput(graph, expr::TernaryOpType::SELECT, A, B, conditions, out, prog,
                {di}, options);
}

// HALF, FLOAT and INT.
inline poplar::Tensor clamp(poplar::Graph &graph, const poplar::Tensor &values,
                            const poplar::Tensor &minimums,
                            const poplar::Tensor &maximums,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(values, minimums, maximums, options));
  auto output = map(graph, expr::TernaryOpType::CLAMP, values, minimums,
                    maximums, prog, {di}, options);
  di.addOutput(output);
  return output;
}

inline void clampInPlace(poplar::Graph &graph, const poplar::Tensor &values,
                         const poplar::Tensor &minimums,
                         const poplar::Tensor &maximums,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {},
                         const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(values, minimums, maximums, options));
  mapInPlace(graph, expr::TernaryOpType::CLAMP, values, minimums, maximums,
             prog, {di}, options);
}

inline void clampWithOutput(poplar::Graph &graph, const poplar::Tensor &values,
                            const poplar::Tensor &minimums,
                            const poplar::Tensor &maximums,
                            const poplar::Tensor &out,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {}) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(values, minimums, maximums, out, options));
  mapWithOutput(graph, expr::TernaryOpType::CLAMP, values, minimums, maximums,
                out, prog, {di}, options);
}

} // namespace popops
