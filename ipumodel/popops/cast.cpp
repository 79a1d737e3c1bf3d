#include "popops/map/map_program.hpp"
#include "popops/quarter_cast.hpp"

#include <popops/Cast.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

namespace popops {

namespace {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Sequence;
using poputil::poplibs_error;

bool isLong(const Type &type) {
  return type == LONGLONG || type == UNSIGNED_LONGLONG;
}

bool isShortInteger(const Type &type) {
  for (const Type &known : {BOOL, CHAR, SIGNED_CHAR, UNSIGNED_CHAR, SHORT,
                            UNSIGNED_SHORT, INT, UNSIGNED_INT})
    if (type == known)
      return true;
  return false;
}

bool isFloatOrHalf(const Type &type) { return type == HALF || type == FLOAT; }

bool isByte(const Type &type) {
  return type == CHAR || type == SIGNED_CHAR || type == UNSIGNED_CHAR;
}

bool canCast(const Type &from, const Type &to) {
  if (from == QUARTER || to == QUARTER) {
    const Type &other = from == QUARTER ? to : from;
    return other == QUARTER || isFloatOrHalf(other) || isByte(other);
  }
  if (isLong(to))
    return isLong(from) || isShortInteger(from);
  return (isShortInteger(from) || isFloatOrHalf(from)) &&
         (isShortInteger(to) || isFloatOrHalf(to));
}

// True if the cast does not change any bits.
bool keepsBits(const Type &from, const Type &to) {
  const auto pair = [&](const Type &a, const Type &b) {
    return (from == a && to == b) || (from == b && to == a);
  };
  return (from == to && from != QUARTER) || pair(INT, UNSIGNED_INT) ||
         pair(LONGLONG, UNSIGNED_LONGLONG);
}

void check(const Tensor &src, const Tensor &dst) {
  if (!canCast(src.elementType(), dst.elementType()))
    throw poplibs_error("Casting from " + src.elementType().toString() +
                        " to " + dst.elementType().toString() +
                        " is not supported");
  if (src.shape() != dst.shape())
    throw poplibs_error("Casting between tensors of different shapes: " +
                        src.shapeToString() + " and " + dst.shapeToString());
}

MapBuilder builderOf(const Tensor &src, const Type &type) {
  MapBuilder builder({src.elementType()});
  builder.output(builder.cast(builder.input(0), type));
  return builder;
}

bool usesQuarter(const Tensor &src, const Tensor &dst) {
  return src.elementType() == QUARTER || dst.elementType() == QUARTER;
}

void addCast(Sequence &prog, const Tensor &src, const Tensor &dst,
             const DebugContext &debugContext) {
  const Type from = src.elementType(), to = dst.elementType();
  if (from == to && from != QUARTER) {
    if (src.shape() != dst.shape())
      check(src, dst);
    prog.add(Copy(src, dst, false, debugContext));
    return;
  }
  check(src, dst);
  if (keepsBits(from, to))
    prog.add(Copy(src.reinterpret(to), dst, false, debugContext));
  else if (usesQuarter(src, dst))
    addQuarterCast(prog, src, dst, debugContext);
  else
    addMap(prog, builderOf(src, to), {dst}, {src}, debugContext);
}

void addCast(Graph &graph, ComputeSet cs, const Tensor &src, const Tensor &dst,
             const DebugContext &debugContext) {
  check(src, dst);
  if (usesQuarter(src, dst))
    addQuarterCast(graph, cs, src, dst, debugContext);
  else
    addMap(graph, cs, builderOf(src, dst.elementType()), {dst}, {src},
           debugContext);
}

Tensor createOutput(Graph &graph, const Tensor &src, const Type &type,
                    const DebugContext &debugContext) {
  if (type == QUARTER)
    throw poplibs_error("A cast to QUARTER needs metadata");
  return graph.clone(type, src, debugContext);
}

Tensor createOutput(Graph &graph, const Tensor &src, const Type &type,
                    const Tensor &metadata, const DebugContext &debugContext) {
  if (type != QUARTER)
    throw poplibs_error("A cast to " + type.toString() +
                        " does not need metadata");
  return graph.clone(type, metadata, src, debugContext);
}

} // namespace

Tensor cast(Graph &graph, const Tensor &src, const Type &dstType,
            Sequence &prog, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, dstType));
  const Tensor dst = createOutput(graph, src, dstType, {di, "cast"});
  addCast(prog, src, dst, {di});
  di.addOutput(dst);
  return dst;
}

Tensor cast(Graph &graph, const Tensor &src, const Type &dstType,
            const Tensor &metadata, Sequence &prog,
            const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, dstType, metadata));
  const Tensor dst = createOutput(graph, src, dstType, metadata, {di, "cast"});
  addCast(prog, src, dst, {di});
  di.addOutput(dst);
  return dst;
}

void castWithOutput(Graph &, const Tensor &src, const Tensor &dst,
                    Sequence &prog, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, dst));
  addCast(prog, src, dst, {di});
}

Program cast(Graph &, Tensor src, Tensor dst,
             const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, dst));
  Sequence prog({}, {di});
  addCast(prog, src, dst, {di});
  return prog;
}

void cast(Graph &graph, Tensor src, Tensor dst, ComputeSet cs) {
  addCast(graph, cs, src, dst, "cast");
}

Tensor cast(Graph &graph, Tensor src, const Type &dstType, ComputeSet cs,
            const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, dstType, cs));
  const Tensor dst = createOutput(graph, src, dstType, {di, "cast"});
  addCast(graph, cs, src, dst, {di});
  di.addOutput(dst);
  return dst;
}

Tensor cast(Graph &graph, Tensor src, const Type &dstType,
            const Tensor &metadata, ComputeSet cs,
            const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(src, dstType, metadata, cs));
  const Tensor dst = createOutput(graph, src, dstType, metadata, {di, "cast"});
  addCast(graph, cs, src, dst, {di});
  di.addOutput(dst);
  return dst;
}

Tensor checkAccuracyWhenCast(Graph &graph, const Tensor &input, Type outputType,
                             double tolerance, Sequence &prog,
                             const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(input, outputType, tolerance));
  const Type from = input.elementType();
  if (!((from == FLOAT && outputType == HALF) ||
        (from == HALF && outputType == FLOAT)) ||
      input.numElements() != 1)
    throw poplibs_error("The accuracy of a cast can be checked for one element "
                        "from FLOAT to HALF or from HALF to FLOAT");
  const Tensor isAccurate =
      graph.addVariable(BOOL, {}, {di, "checkAccuracyWhenCast"});
  graph.setTileMapping(isAccurate, 0);
  MapBuilder builder({from});
  if (from == HALF) {
    builder.output(builder.constant(BOOL, 1));
  } else {
    using Unary = expr::UnaryOpType;
    using Binary = expr::BinaryOpType;
    const MapValue x = builder.input(0);
    const MapValue rounded = builder.cast(builder.cast(x, HALF), FLOAT);
    const MapValue error = builder.apply(
        Unary::ABSOLUTE, builder.apply(Binary::SUBTRACT, x, rounded));
    const MapValue limit =
        builder.apply(Binary::MULTIPLY, builder.apply(Unary::ABSOLUTE, x),
                      builder.constant(FLOAT, static_cast<float>(tolerance)));
    builder.output(builder.apply(Binary::LESS_THAN, error, limit));
  }
  addMap(prog, builder, {isAccurate}, {input.reshape({})}, {di});
  di.addOutput(isAccurate);
  return isAccurate;
}

} // namespace popops
