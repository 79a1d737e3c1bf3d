// Conversion between variance and inverse standard deviation, with a result of
// another type than the operand.
#include "popops/map/map_program.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

namespace {

using expr::BinaryOpType;
using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

Tensor convert(Graph &graph, BinaryOpType op, const Type &otherType,
               const Tensor &src, const Tensor &epsilon, Sequence &prog,
               const Type &dstType, poputil::PoplibsOpDebugInfo &di) {
  const Type type = src.elementType();
  const auto isFloat = [](const Type &t) { return t == HALF || t == FLOAT; };
  if (!isFloat(type) || (dstType != type && dstType != otherType))
    throw poplibs_error("Conversion of a variance from " + type.toString() +
                        " to " + dstType.toString() + " is not supported");
  if (epsilon.numElements() != 1 || epsilon.elementType() != type)
    throw poplibs_error("The epsilon of a variance must be a single element of "
                        "type " +
                        type.toString());
  const Tensor dst = graph.clone(dstType, src, {di});
  MapBuilder builder({type, type});
  const MapValue result =
      builder.apply(op, builder.cast(builder.input(0), FLOAT),
                    builder.cast(builder.input(1), FLOAT));
  builder.output(builder.cast(result, dstType));
  addMap(prog, builder, {dst}, {src, epsilon.reshape({})}, {di});
  di.addOutput(dst);
  return dst;
}

Tensor constantOf(Graph &graph, const Type &type, float value,
                  poputil::PoplibsOpDebugInfo &di) {
  const Tensor constant = graph.addConstant(type, {}, value, {di, "epsilon"});
  graph.setTileMapping(constant, 0);
  return constant;
}

} // namespace

Tensor varianceToInvStdDev(Graph &graph, const Tensor &src,
                           const Tensor &epsilon, Sequence &prog,
                           const Type dstType,
                           const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, epsilon, dstType));
  return convert(graph, BinaryOpType::VARIANCE_TO_INV_STD_DEV, HALF, src,
                 epsilon, prog, dstType, di);
}

Tensor varianceToInvStdDev(Graph &graph, const Tensor &src, const float epsilon,
                           Sequence &prog, const Type dstType,
                           const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, epsilon, dstType));
  return convert(graph, BinaryOpType::VARIANCE_TO_INV_STD_DEV, HALF, src,
                 constantOf(graph, src.elementType(), epsilon, di), prog,
                 dstType, di);
}

Tensor invStdDevToVariance(Graph &graph, const Tensor &src,
                           const Tensor &epsilon, Sequence &prog,
                           const Type dstType,
                           const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, epsilon, dstType));
  return convert(graph, BinaryOpType::INV_STD_DEV_TO_VARIANCE, FLOAT, src,
                 epsilon, prog, dstType, di);
}

Tensor invStdDevToVariance(Graph &graph, const Tensor &src, const float epsilon,
                           Sequence &prog, const Type dstType,
                           const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(src, epsilon, dstType));
  return convert(graph, BinaryOpType::INV_STD_DEV_TO_VARIANCE, FLOAT, src,
                 constantOf(graph, src.elementType(), epsilon, di), prog,
                 dstType, di);
}

} // namespace popops
