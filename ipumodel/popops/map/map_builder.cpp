#include "poplar/values/half.hpp"
#include "poplar/values/type_info.hpp"
#include "popops/expr/expr_types.hpp"
#include "popops/expr/op_names.hpp"
#include "popops/map/map_operator.hpp"

#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstring>

namespace ipumodel {

namespace {

using poplar::Type;
using popops::expr::BinaryOpType;
using popops::expr::TernaryOpType;
using popops::expr::UnaryOpType;
using poputil::poplibs_error;

// True if the exact result for halves is always a half.
bool isExactInHalf(UnaryOpType op) {
  switch (op) {
  case UnaryOpType::ABSOLUTE:
  case UnaryOpType::CEIL:
  case UnaryOpType::FLOOR:
  case UnaryOpType::NEGATE:
  case UnaryOpType::NEARBY_INT:
  case UnaryOpType::RELU:
  case UnaryOpType::SIGNUM:
  case UnaryOpType::ROUND:
  case UnaryOpType::TRUNC:
    return true;
  default:
    return false;
  }
}

bool isExactInHalf(BinaryOpType op) {
  return op == BinaryOpType::MAXIMUM || op == BinaryOpType::MINIMUM ||
         op == BinaryOpType::REMAINDER;
}

bool sameValue(const MapValue &a, const MapValue &b) {
  return a.kind == b.kind && a.index == b.index;
}

} // namespace

Lane laneOf(Type type) {
  switch (codeOf(type)) {
  case TypeCode::half:
  case TypeCode::float32:
    return Lane::float32;
  case TypeCode::boolean:
    return Lane::boolean;
  case TypeCode::character:
  case TypeCode::signedChar:
    return Lane::int8;
  case TypeCode::unsignedChar:
    return Lane::uint8;
  case TypeCode::signedShort:
    return Lane::int16;
  case TypeCode::unsignedShort:
    return Lane::uint16;
  case TypeCode::signedInt:
    return Lane::int32;
  case TypeCode::unsignedInt:
    return Lane::uint32;
  case TypeCode::signedLong:
  case TypeCode::signedLongLong:
    return Lane::int64;
  case TypeCode::unsignedLong:
  case TypeCode::unsignedLongLong:
    return Lane::uint64;
  default:
    throw poplibs_error("Element-wise operations are not defined for " +
                        type.toString());
  }
}

MapValue MapBuilder::input(std::size_t index) {
  isUsed_[index] = true;
  return {MapValue::Kind::input, static_cast<std::uint32_t>(index),
          inputs_[index]};
}

MapValue MapBuilder::constant(const Type &type,
                              const poplar::TypeTraits &traits,
                              const void *value) {
  MapProgram::Constant constant{laneOf(type), 0};
  convertToDevice(type, traits, value, 1, &constant.bits);
  if (type == poplar::HALF) {
    std::uint16_t half;
    std::memcpy(&half, &constant.bits, sizeof half);
    const float number = halfToFloat(half);
    constant.bits = 0;
    std::memcpy(&constant.bits, &number, sizeof number);
  }
  for (std::uint32_t i = 0; i < constants_.size(); ++i)
    if (constants_[i].lane == constant.lane &&
        constants_[i].bits == constant.bits)
      return {MapValue::Kind::constant, i, type};
  constants_.push_back(constant);
  return {MapValue::Kind::constant,
          static_cast<std::uint32_t>(constants_.size() - 1), type};
}

MapValue MapBuilder::constant(const Type &type, float value) {
  return constant(type, poplar::TypeTraits::make<float>(), &value);
}

MapValue MapBuilder::addStep(MapOp op, unsigned code, const char *name,
                             Type type, std::initializer_list<MapValue> args) {
  const Type &operands = args.begin()->type;
  MapProgram::Step step{
      op, static_cast<std::uint8_t>(code), laneOf(operands), laneOf(type), {}};
  if (!findPrimitive(op, code, step.lane))
    throw poplibs_error(std::string(name) + " is not defined for " +
                        operands.toString());
  Step added{step, {}};
  std::copy(args.begin(), args.end(), added.args.begin());
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    const Step &known = steps_[i];
    if (known.step.op == op && known.step.code == step.code &&
        known.step.lane == step.lane && known.step.result == step.result &&
        std::equal(args.begin(), args.end(), known.args.begin(), sameValue))
      return {MapValue::Kind::step, i, type};
  }
  steps_.push_back(added);
  return {MapValue::Kind::step, static_cast<std::uint32_t>(steps_.size() - 1),
          type};
}

MapValue MapBuilder::roundedToType(const MapValue &value, bool isExact) {
  if (value.type != poplar::HALF || isExact)
    return value;
  return addStep(MapOp::roundHalf, 0, "round", poplar::HALF, {value});
}

MapValue MapBuilder::apply(UnaryOpType op, const MapValue &a) {
  const Type type = yieldsBool(op) ? poplar::BOOL : a.type;
  return roundedToType(
      addStep(MapOp::unary, static_cast<unsigned>(op), nameOf(op), type, {a}),
      isExactInHalf(op));
}

MapValue MapBuilder::apply(BinaryOpType op, const MapValue &a,
                           const MapValue &b) {
  const Type type = yieldsBool(op) ? poplar::BOOL : a.type;
  return roundedToType(addStep(MapOp::binary, static_cast<unsigned>(op),
                               nameOf(op), type, {a, b}),
                       isExactInHalf(op));
}

MapValue MapBuilder::apply(TernaryOpType op, const MapValue &a,
                           const MapValue &b, const MapValue &c) {
  return addStep(MapOp::ternary, static_cast<unsigned>(op), nameOf(op), a.type,
                 {a, b, c});
}

MapValue MapBuilder::cast(const MapValue &a, const Type &type) {
  if (a.type == type)
    return a;
  const Lane from = laneOf(a.type), to = laneOf(type);
  MapValue value = a;
  if (from != to)
    value =
        addStep(MapOp::convert, static_cast<unsigned>(to), "cast", type, {a});
  value.type = type;
  return roundedToType(value, a.type == poplar::BOOL);
}

MapValue MapBuilder::snapToHalf(const MapValue &a, float tolerance) {
  return addStep(MapOp::snapHalf, 0, "snapToHalf", poplar::FLOAT,
                 {a, constant(poplar::FLOAT, tolerance)});
}

MapValue MapBuilder::evaluate(const popops::expr::Expr &expr) {
  return evaluate(expr, inferTypes(expr, inputs_).constants);
}

MapValue MapBuilder::evaluate(
    const popops::expr::Expr &expr,
    const std::unordered_map<const popops::expr::Expr *, Type> &constants) {
  const auto value = [&](const popops::expr::Expr &part) {
    return evaluate(part, constants);
  };
  if (const auto *c = expr.getAs<popops::expr::Const>())
    return constant(constants.at(&expr), c->getTypeTraits(), c->getData());
  if (const auto *p = expr.getAs<popops::expr::PlaceHolder>())
    return input(p->getIndex() - 1);
  if (const auto *c = expr.getAs<popops::expr::Cast>())
    return cast(value(c->getLHS()), c->getRHSType());
  if (const auto *u = expr.getAs<popops::expr::UnaryOp>())
    return apply(u->getOpType(), value(u->getArg()));
  if (const auto *b = expr.getAs<popops::expr::BinaryOp>()) {
    const MapValue lhs = value(b->getLHS());
    return apply(b->getOpType(), lhs, value(b->getRHS()));
  }
  const auto *t = expr.getAs<popops::expr::TernaryOp>();
  const MapValue a = value(t->getArg0()), b = value(t->getArg1());
  return apply(t->getOpType(), a, b, value(t->getArg2()));
}

std::uint32_t MapBuilder::number(const MapValue &value) const {
  const bool isInput = value.kind == MapValue::Kind::input;
  std::ptrdiff_t first =
      std::count(isUsed_.begin(),
                 isInput ? isUsed_.begin() + value.index : isUsed_.end(), true);
  if (isInput)
    return static_cast<std::uint32_t>(first);
  if (value.kind == MapValue::Kind::step)
    first += static_cast<std::ptrdiff_t>(constants_.size());
  return static_cast<std::uint32_t>(first) + value.index;
}

MapProgram MapBuilder::finish() const {
  MapProgram program;
  program.numInputs = static_cast<std::uint32_t>(
      std::count(isUsed_.begin(), isUsed_.end(), true));
  program.constants = constants_;
  for (const Step &written : steps_) {
    MapProgram::Step step = written.step;
    for (unsigned i = 0; i < arityOf(step); ++i)
      step.args[i] = number(written.args[i]);
    program.steps.push_back(step);
  }
  for (const MapValue &output : outputs_)
    program.outputs.push_back(number(output));
  return program;
}

namespace {

std::vector<poplar::Tensor>
usedInputs(const MapBuilder &builder, const std::vector<poplar::Tensor> &inputs,
           const std::vector<std::size_t> &shape) {
  std::vector<poplar::Tensor> used;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!builder.isUsed(i))
      continue;
    used.push_back(inputs[i]);
    poputil::broadcastToMatch(used.back(), shape);
  }
  return used;
}

} // namespace

void addMap(poplar::program::Sequence &prog, const MapBuilder &builder,
            const std::vector<poplar::Tensor> &outputs,
            const std::vector<poplar::Tensor> &inputs,
            const poplar::DebugContext &debugContext) {
  addNative(prog, MapOperator{builder.finish()}, outputs,
            usedInputs(builder, inputs, outputs.at(0).shape()), debugContext);
}

void addMap(poplar::Graph &graph, poplar::ComputeSet computeSet,
            const MapBuilder &builder,
            const std::vector<poplar::Tensor> &outputs,
            const std::vector<poplar::Tensor> &inputs,
            const poplar::DebugContext &debugContext) {
  addNative(graph, computeSet, MapOperator{builder.finish()}, outputs,
            usedInputs(builder, inputs, outputs.at(0).shape()), debugContext);
}

} // namespace ipumodel
