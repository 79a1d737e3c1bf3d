// Uses every element-wise function of the public headers with its exact type,
// and every default argument. Building this is the test; it is as long as their
// list.
#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/Encoding.hpp>
#include <popops/EncodingConstants.hpp>
#include <popops/Expr.hpp>
#include <popops/ExprOp.hpp>
#include <popops/Fill.hpp>
#include <popops/NaN.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>

#include <ostream>

namespace {

using namespace popops;
using expr::Any;
using expr::BinaryOpType;
using expr::Expr;
using expr::TernaryOpType;
using expr::UnaryOpType;
using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::OptionFlags;
using poplar::Target;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Program;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;
using Exprs = std::vector<Any>;
using Regions = std::vector<Interval>;
using Mapping = std::vector<Regions>;
using DC = const DebugContext &;
using OF = const OptionFlags &;
using T = const Tensor &;

// Selects the overload with this type, and no other.
template <class F> void is(F *) {}

void maps() {
  is<void(const Target &, const Expr &, const Tensors &, OF, std::ostream &)>(
      outputGeneratedCodelet);
  is<Tensor(Graph &, const Expr &, const Tensors &, Sequence &, DC, OF)>(map);
  is<Tensor(Graph &, UnaryOpType, T, Sequence &, DC, OF)>(map);
  is<Tensor(Graph &, BinaryOpType, T, T, Sequence &, DC, OF)>(map);
  is<Tensor(Graph &, TernaryOpType, T, T, T, Sequence &, DC, OF)>(map);
  is<Tensors(Graph &, const Exprs &, const Tensors &, Sequence &, DC, OF)>(map);
  is<void(Graph &, const Expr &, const Tensors &, Sequence &, DC, OF)>(
      mapInPlace);
  is<void(Graph &, UnaryOpType, T, Sequence &, DC, OF)>(mapInPlace);
  is<void(Graph &, BinaryOpType, T, T, Sequence &, DC, OF)>(mapInPlace);
  is<void(Graph &, TernaryOpType, T, T, T, Sequence &, DC, OF)>(mapInPlace);
  is<void(Graph &, const Exprs &, const Tensors &, Sequence &, DC, OF)>(
      mapInPlace);
  is<void(Graph &, const Expr &, const Tensors &, T, Sequence &, DC, OF)>(
      mapWithOutput);
  is<void(Graph &, UnaryOpType, T, T, Sequence &, DC, OF)>(mapWithOutput);
  is<void(Graph &, BinaryOpType, T, T, T, Sequence &, DC, OF)>(mapWithOutput);
  is<void(Graph &, TernaryOpType, T, T, T, T, Sequence &, DC, OF)>(
      mapWithOutput);
  is<void(Graph &, const Exprs &, const Tensors &, const Tensors &, Sequence &,
          DC, OF)>(mapWithOutput);
  is<Tensor(Graph &, const Tensors &, const Type &, DC)>(
      createOutputForElementWiseOp);
}

#define NAMES_UNARY_NOT_IN_PLACE(name)                                         \
  is<Tensor(Graph &, T, Sequence &, DC, OF)>(popops::name);                    \
  is<void(Graph &, T, T, Sequence &, DC, OF)>(name##WithOutput);

#define NAMES_UNARY(name)                                                      \
  NAMES_UNARY_NOT_IN_PLACE(name)                                               \
  is<void(Graph &, T, Sequence &, DC, OF)>(name##InPlace);

#define NAMES_CONSTANT(name, C)                                                \
  is<Tensor(Graph &, T, const C, Sequence &, DC, OF)>(popops::name);           \
  is<Tensor(Graph &, const C, T, Sequence &, DC, OF)>(popops::name);           \
  is<void(Graph &, T, const C, Sequence &, DC, OF)>(name##InPlace);            \
  is<void(Graph &, T, const C, T, Sequence &, DC, OF)>(name##WithOutput);      \
  is<void(Graph &, const C, T, T, Sequence &, DC, OF)>(name##WithOutput);

#define NAMES_BINARY(name)                                                     \
  is<Tensor(Graph &, T, T, Sequence &, DC, OF)>(popops::name);                 \
  is<void(Graph &, T, T, Sequence &, DC, OF)>(name##InPlace);                  \
  is<void(Graph &, T, T, T, Sequence &, DC, OF)>(name##WithOutput);            \
  NAMES_CONSTANT(name, float)                                                  \
  NAMES_CONSTANT(name, double)                                                 \
  NAMES_CONSTANT(name, int)                                                    \
  NAMES_CONSTANT(name, unsigned)                                               \
  NAMES_CONSTANT(name, bool)

#define NAMES_TERNARY(name)                                                    \
  is<Tensor(Graph &, T, T, T, Sequence &, DC, OF)>(popops::name);              \
  is<void(Graph &, T, T, T, Sequence &, DC, OF)>(name##InPlace);               \
  is<void(Graph &, T, T, T, T, Sequence &, DC, OF)>(name##WithOutput);

void namedFunctions() {
  NAMES_UNARY_NOT_IN_PLACE(isFinite)
  NAMES_UNARY(abs)
  NAMES_UNARY(inv)
  NAMES_UNARY(logicalNot)
  NAMES_UNARY(neg)
  NAMES_UNARY(signum)
  NAMES_UNARY(bitwiseNot)
  NAMES_UNARY(countLeadingZeros)
  NAMES_UNARY(popcount)
  NAMES_UNARY(ceil)
  NAMES_UNARY(floor)
  NAMES_UNARY(round)
  NAMES_UNARY(nearbyint)
  NAMES_UNARY(cbrt)
  NAMES_UNARY(exp)
  NAMES_UNARY(exp2)
  NAMES_UNARY(expm1)
  NAMES_UNARY(log)
  NAMES_UNARY(log1p)
  NAMES_UNARY(sqrt)
  NAMES_UNARY(square)
  NAMES_UNARY(rsqrt)
  NAMES_UNARY(sigmoid)
  NAMES_UNARY(asin)
  NAMES_UNARY(cos)
  NAMES_UNARY(sin)
  NAMES_UNARY(tan)
  NAMES_UNARY(tanh)
  NAMES_UNARY(geluErf)
  NAMES_UNARY(erf)
  NAMES_BINARY(add)
  NAMES_BINARY(sub)
  NAMES_BINARY(mul)
  NAMES_BINARY(div)
  NAMES_BINARY(pow)
  NAMES_BINARY(rem)
  NAMES_BINARY(bitwiseAnd)
  NAMES_BINARY(bitwiseOr)
  NAMES_BINARY(bitwiseXor)
  NAMES_BINARY(bitwiseXnor)
  NAMES_BINARY(shiftLeft)
  NAMES_BINARY(shiftRight)
  NAMES_BINARY(shiftRightSignExtend)
  NAMES_BINARY(logicalAnd)
  NAMES_BINARY(logicalOr)
  NAMES_BINARY(eq)
  NAMES_BINARY(neq)
  NAMES_BINARY(gteq)
  NAMES_BINARY(gt)
  NAMES_BINARY(lteq)
  NAMES_BINARY(lt)
  NAMES_BINARY(max)
  NAMES_BINARY(min)
  NAMES_BINARY(atan2)
  NAMES_BINARY(invStdDevToVariance)
  NAMES_BINARY(varianceToInvStdDev)
  NAMES_TERNARY(select)
  NAMES_TERNARY(clamp)
}

void conversionsOfVariance() {
  using Function = Tensor(Graph &, T, T, Sequence &, const Type, DC);
  using ConstantFunction =
      Tensor(Graph &, T, const float, Sequence &, const Type, DC);
  is<Function>(varianceToInvStdDev);
  is<ConstantFunction>(varianceToInvStdDev);
  is<Function>(invStdDevToVariance);
  is<ConstantFunction>(invStdDevToVariance);
}

void scaledSums() {
  using S = const ScaledAddSpecialisation;
  using Sum = void(Graph &, Tensor, Tensor, Tensor, Sequence &, DC, OF);
  using SumOfConstant =
      void(Graph &, Tensor, Tensor, float, Sequence &, DC, OF);
  using Both =
      void(Graph &, Tensor, Tensor, Tensor, Tensor, Sequence &, DC, OF);
  using BothOfConstants =
      void(Graph &, Tensor, float, Tensor, float, Sequence &, DC, OF);
  is<Sum>(scaledAddTo);
  is<SumOfConstant>(scaledAddTo);
  is<Both>(scaledAddTo);
  is<BothOfConstants>(scaledAddTo);
  is<void(Graph &, Tensor, Tensor, Tensor, Tensor, Sequence &, S, DC, OF)>(
      scaledAddTo);
  is<void(Graph &, Tensor, float, Tensor, float, Sequence &, S, DC, OF)>(
      scaledAddTo);
  is<Sum>(scaledSubtractFrom);
  is<SumOfConstant>(scaledSubtractFrom);
  is<Both>(scaledSubtractFrom);
  is<BothOfConstants>(scaledSubtractFrom);
}

void casts() {
  is<Tensor(Graph &, T, const Type &, Sequence &, DC)>(cast);
  is<Tensor(Graph &, T, const Type &, T, Sequence &, DC)>(cast);
  is<void(Graph &, T, T, Sequence &, DC)>(castWithOutput);
  is<Program(Graph &, Tensor, Tensor, DC)>(cast);
  is<void(Graph &, Tensor, Tensor, ComputeSet)>(cast);
  is<Tensor(Graph &, Tensor, const Type &, ComputeSet, DC)>(cast);
  is<Tensor(Graph &, Tensor, const Type &, T, ComputeSet, DC)>(cast);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void deprecatedFunctions() {
  is<Tensor(Graph &, T, Type, double, Sequence &, DC)>(
      popops::checkAccuracyWhenCast);
}
#pragma GCC diagnostic pop

template <class V> void fillsOf() {
  is<void(Graph &, Tensor, const Regions &, unsigned, ComputeSet, V)>(fill<V>);
  is<void(Graph &, T, unsigned, ComputeSet, V)>(fill<V>);
  is<void(Graph &, T, const Mapping &, ComputeSet, V)>(fill<V>);
  is<void(Graph &, T, Sequence &, V, DC)>(fill<V>);
}

void fills() {
  fillsOf<double>();
  fillsOf<float>();
  fillsOf<int>();
  fillsOf<unsigned>();
  fillsOf<long long>();
  fillsOf<unsigned long long>();
  is<void(Graph &, Tensor, const Regions &, unsigned, ComputeSet)>(zero);
  is<void(Graph &, T, unsigned, ComputeSet)>(zero);
  is<void(Graph &, T, const Mapping &, ComputeSet)>(zero);
  is<void(Graph &, T, Sequence &, DC)>(zero);
}

void others() {
  is<void(Graph &)>(addCodelets);
  is<Tensor(Graph &, T, Sequence &, DC)>(hasNaN);
  is<Tensor(Graph &, T, Sequence &, DC)>(hasNaNOrInf);
  is<Tensor(Graph &, Tensor, Sequence &, DC)>(allTrue);
  is<void(Graph &, T, T, Sequence &, DC)>(encodeOneHot);
  is<void(Graph &, T, T, Sequence &, T, T, DC)>(encodeOneHot);
  is<void(Graph &, T, unsigned, Sequence &, DC)>(iota);
  is<void(Graph &, T, int, Sequence &, DC)>(iota);
  is<Tensor(Graph &, T, T, Sequence &, DC)>(selectScalarFromRows);
  is<void(Graph &, T, T, Sequence &, DC)>(updateScalarInRows);
  static_assert(MASKED_LABEL_CODE == 0xFFFFFFFFU, "");
  static_assert(EPS_LOG_N_FLOAT > 0 && EPS_LOG_N_HALF > 0, "");
}

void expressions() {
  using namespace popops::expr;
  const Any all[] = {Abs(_1),
                     Asin(_1),
                     BitwiseNot(_1),
                     Cbrt(_1),
                     Erf(_1),
                     Ceil(_1),
                     Cos(_1),
                     Exp(_1),
                     Expm1(_1),
                     Exp2(_1),
                     Floor(_1),
                     GeluErf(_1),
                     Inv(_1),
                     IsFinite(_1),
                     IsInf(_1),
                     IsNaN(_1),
                     Log(_1),
                     Log1p(_1),
                     Not(_1),
                     Neg(_1),
                     NearbyInt(_1),
                     Signum(_1),
                     Sin(_1),
                     Tan(_1),
                     Tanh(_1),
                     Round(_1),
                     Trunc(_1),
                     Sqrt(_1),
                     Square(_1),
                     Sigmoid(_1),
                     Rsqrt(_1),
                     Add(_1, _2),
                     Atan2(_1, _2),
                     BitwiseAnd(_1, _2),
                     BitwiseOr(_1, _2),
                     BitwiseXor(_1, _2),
                     BitwiseXnor(_1, _2),
                     Divide(_1, _2),
                     Equal(_1, _2),
                     Gte(_1, _2),
                     Gt(_1, _2),
                     Lte(_1, _2),
                     And(_1, _2),
                     Or(_1, _2),
                     Lt(_1, _2),
                     InvStdDevToVariance(_1, _2),
                     Max(_1, _2),
                     Min(_1, _2),
                     Mul(_1, _2),
                     NotEqual(_1, _2),
                     Pow(_1, _2),
                     Rem(_1, _2),
                     Shl(_1, _2),
                     Shr(_1, _2),
                     ShrSE(_1, _2),
                     Sub(_1, _2),
                     VarianceToInvStdDev(_1, _2),
                     Select(_1, _2, _3),
                     Clamp(_1, _2, _3),
                     Cast(_1, poplar::HALF),
                     Const(1),
                     Const(true),
                     ConstHalf(1.5f),
                     1.5_half,
                     PlaceHolder(7),
                     ~_1,
                     !_1,
                     -_1,
                     _1 + _2,
                     _1 + 2,
                     2.0f + _1,
                     _1 & _2,
                     _1 & 2,
                     2.0f & _1,
                     _1 | _2,
                     _1 | 2,
                     2.0f | _1,
                     _1 ^ _2,
                     _1 ^ 2,
                     2.0f ^ _1,
                     _1 / _2,
                     _1 / 2,
                     2.0f / _1,
                     _1 == _2,
                     _1 == 2,
                     2.0f == _1,
                     _1 >= _2,
                     _1 >= 2,
                     2.0f >= _1,
                     _1 > _2,
                     _1 > 2,
                     2.0f > _1,
                     _1 <= _2,
                     _1 <= 2,
                     2.0f <= _1,
                     _1 && _2,
                     _1 && 2,
                     2.0f && _1,
                     _1 || _2,
                     _1 || 2,
                     2.0f || _1,
                     _1<_2, _1<2, 2.0f < _1, _1 * _2, _1 * 2, 2.0f * _1,
                               _1 != _2, _1 != 2, 2.0f != _1, _1 % _2, _1 % 2,
                               2.0f % _1, _1 << _2, _1 << 2, 2.0f << _1, _1>>
                         _2,
                     _1 >> 2,
                     2.0f >> _1,
                     _1 - _2,
                     _1 - 2,
                     2.0f - _1,
                     _4,
                     _5,
                     _6,
                     _7,
                     _8,
                     _9,
                     _10,
                     _11,
                     _12,
                     _13,
                     _14,
                     _15,
                     _16,
                     _17,
                     _18,
                     _19,
                     _20};
  const Const number(1);
  const char *const data = number.getData();
  const Const copy(number.getTypeTraits(), number.getType(), data);
  const double value = copy.getDataAsDouble();
  const std::uint64_t bits = Const(1u).getDataForUnsignedIntegral();
  const bool same = deepEquals(number, copy) && all[0].name({}).empty() &&
                    number.printValue().empty() && value > 0 && bits > 0;
  const UnaryOp *unary = static_cast<const Expr &>(all[0]).getAs<UnaryOp>();
  const BinaryOp binary(BinaryOpType::ADD, unary->getArg(), _20);
  const TernaryOp ternary(TernaryOpType::CLAMP, binary.getLHS(),
                          binary.getRHS(), _3);
  Any any = ternary.getArg0();
  any = ternary.getArg1();
  std::unique_ptr<Expr> clone = ternary.getArg2().clone();
  is<std::ostream &(std::ostream &, const Expr &)>(operator<<);
  (void)same;
}

void defaultArguments(Graph &g, Sequence &p, ComputeSet cs, T t) {
  using expr::_1;
  map(g, _1, {t}, p);
  map(g, -_1, {t}, p, "name");
  map(g, Exprs{_1}, {t}, p);
  mapInPlace(g, _1, {t}, p);
  mapInPlace(g, Exprs{_1}, {t}, p);
  mapWithOutput(g, _1, {t}, t, p);
  mapWithOutput(g, Exprs{_1}, {t}, {t}, p);
  popops::abs(g, t, p);
  absInPlace(g, t, p);
  absWithOutput(g, t, t, p);
  add(g, t, t, p);
  add(g, t, 1.0f, p, "name");
  addInPlace(g, t, t, p);
  addInPlace(g, t, 1, p);
  addWithOutput(g, 2u, t, t, p);
  select(g, t, t, t, p);
  clampInPlace(g, t, t, t, p);
  varianceToInvStdDev(g, t, 1e-3f, p, poplar::HALF);
  createOutputForElementWiseOp(g, {t}, poplar::HALF);
  scaledAddTo(g, t, t, 1.0f, p);
  scaledAddTo(g, t, t, t, p);
  scaledAddTo(g, t, 1.0f, t, 1.0f, p);
  scaledAddTo(g, t, t, t, t, p, ScaledAddSpecialisation::DEFAULT);
  scaledSubtractFrom(g, t, t, 1.0f, p);
  cast(g, t, poplar::HALF, p);
  cast(g, t, t);
  cast(g, t, poplar::HALF, cs);
  castWithOutput(g, t, t, p);
  fill(g, t, p, 1.0f);
  zero(g, t, p);
  hasNaN(g, t, p);
  allTrue(g, t, p);
  encodeOneHot(g, t, t, p);
  encodeOneHot(g, t, t, p, t, t);
  iota(g, t, 0u, p);
  selectScalarFromRows(g, t, t, p);
  updateScalarInRows(g, t, t, p);
}

} // namespace

void useAllSignatures(Graph &g, Sequence &p, ComputeSet cs, T t) {
  maps();
  namedFunctions();
  conversionsOfVariance();
  scaledSums();
  casts();
  deprecatedFunctions();
  fills();
  others();
  expressions();
  defaultArguments(g, p, cs, t);
}
