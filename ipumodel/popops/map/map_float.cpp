// Loops over floats, compiled for each instruction set and chosen at run time.
// Long, because there is a loop for each operator.
//
// Maximal errors in units in the last place: exp 1, log1p 2, sin, cos and
// sigmoid 3, erf, log, expm1 and tanh 4; all others are the C library's or
// correctly rounded.
#include "popops/map/map_float.hpp"

// Vectors of unknown size cannot be stored in arrays.
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "popops/map/map_float.cpp"
// foreach_target.h has to come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

#include <cmath>
#include <cstring>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using popops::expr::BinaryOpType;
using popops::expr::TernaryOpType;
using popops::expr::UnaryOpType;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

HWY_INLINE V set(float value) { return hn::Set(D(), value); }

// Calls f(vector...) for each vector of the inputs. The last elements are
// processed the same way through a buffer, so that results do not depend on an
// element's position.
template <class F, std::size_t... I>
HWY_INLINE void forVectors(void *out, const void *const *in, std::size_t count,
                           F f, std::index_sequence<I...>) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const float *from[] = {static_cast<const float *>(in[I])...};
  auto *to = static_cast<float *>(out);
  std::size_t i = 0;
  // Several loads before the first store, which could alias them for all the
  // compiler knows.
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const V a = f(hn::LoadU(d, from[I] + i)...);
    const V b = f(hn::LoadU(d, from[I] + i + lanes)...);
    const V c = f(hn::LoadU(d, from[I] + i + 2 * lanes)...);
    const V e = f(hn::LoadU(d, from[I] + i + 3 * lanes)...);
    hn::StoreU(a, d, to + i);
    hn::StoreU(b, d, to + i + lanes);
    hn::StoreU(c, d, to + i + 2 * lanes);
    hn::StoreU(e, d, to + i + 3 * lanes);
  }
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(f(hn::LoadU(d, from[I] + i)...), d, to + i);
  if (i == count)
    return;
  HWY_ALIGN float rest[sizeof...(I)][HWY_MAX_BYTES / sizeof(float)] = {};
  for (std::size_t k = i; k < count; ++k)
    ((rest[I][k - i] = from[I][k]), ...);
  hn::Store(f(hn::Load(d, rest[I])...), d, rest[0]);
  for (std::size_t k = i; k < count; ++k)
    to[k] = rest[0][k - i];
}

#define POPOPS_VECTOR_LOOP(name, arity, ...)                                   \
  void name(void *out, const void *const *in, std::size_t count) {             \
    forVectors(                                                                \
        out, in, count, [](auto... x) HWY_ATTR { return __VA_ARGS__(x...); },  \
        std::make_index_sequence<arity>());                                    \
  }

// Loops over elements instead of vectors: for expressions that the compiler
// vectorises equally well, or functions of the C library.
// NOLINTBEGIN(bugprone-macro-parentheses): Result is a type
#define POPOPS_UNARY_LOOP(name, Result, expression)                            \
  void name(void *out, const void *const *in, std::size_t count) {             \
    const auto *x = static_cast<const float *>(in[0]);                         \
    auto *to = static_cast<Result *>(out);                                     \
    for (std::size_t i = 0; i < count; ++i) {                                  \
      const float a = x[i];                                                    \
      to[i] = expression;                                                      \
    }                                                                          \
  }
#define POPOPS_BINARY_LOOP(name, Result, expression)                           \
  void name(void *out, const void *const *in, std::size_t count) {             \
    const auto *x = static_cast<const float *>(in[0]);                         \
    const auto *y = static_cast<const float *>(in[1]);                         \
    auto *to = static_cast<Result *>(out);                                     \
    for (std::size_t i = 0; i < count; ++i) {                                  \
      const float a = x[i], b = y[i];                                          \
      to[i] = expression;                                                      \
    }                                                                          \
  }
// NOLINTEND(bugprone-macro-parentheses)

// The math library's functions do not handle NaN and arguments out of range.
HWY_INLINE V keepNaN(V x, V result) {
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

HWY_INLINE V expOf(V x) {
  constexpr float kInfiniteFrom = 104;
  return keepNaN(x, hn::Exp(D(), hn::Min(x, set(kInfiniteFrom))));
}

HWY_INLINE V expm1Of(V x) {
  constexpr float kInfiniteFrom = 104;
  return keepNaN(x, hn::Expm1(D(), hn::Min(x, set(kInfiniteFrom))));
}

HWY_INLINE V logLimits(V x, V zero, V result) {
  result = hn::IfThenElse(hn::Eq(x, zero), set(-INFINITY), result);
  result = hn::IfThenElse(hn::Lt(x, zero), set(NAN), result);
  result = hn::IfThenElse(hn::Eq(x, set(INFINITY)), x, result);
  return keepNaN(x, result);
}

HWY_INLINE V logOf(V x) { return logLimits(x, set(0), hn::Log(D(), x)); }

HWY_INLINE V log1pOf(V x) {
  return logLimits(x, set(-1),
                   hn::IfThenElse(hn::Eq(x, set(0)), x, hn::Log1p(D(), x)));
}

HWY_INLINE V tanhOf(V x) { return keepNaN(x, hn::Tanh(D(), x)); }

HWY_INLINE V sigmoidOf(V x) {
  return hn::Div(set(1), hn::Add(set(1), expOf(hn::Neg(x))));
}

HWY_INLINE V inverse(V x) { return hn::Div(set(1), x); }
HWY_INLINE V rsqrt(V x) { return hn::Div(set(1), hn::Sqrt(x)); }
HWY_INLINE V square(V x) { return hn::Mul(x, x); }

HWY_INLINE V gate(V a, V b) { return hn::IfThenElseZero(hn::Gt(b, set(0)), a); }
HWY_INLINE V choose(V a, V b, V c) {
  return hn::IfThenElse(hn::Gt(c, set(0)), a, b);
}
HWY_INLINE V chooseProduct(V a, V b, V c, V d, V by) {
  const auto first = hn::Gt(by, set(0));
  return hn::Mul(hn::IfThenElse(first, a, c), hn::IfThenElse(first, b, d));
}
HWY_INLINE V relu(V x) { return hn::IfThenElseZero(hn::Gt(x, set(0)), x); }

HWY_INLINE V signum(V x) {
  const V positive = hn::IfThenElseZero(hn::Gt(x, set(0)), set(1));
  return hn::IfThenElse(hn::Lt(x, set(0)), set(-1), positive);
}

// Rounds ties away from zero.
HWY_INLINE V roundAway(V x) {
  const V whole = hn::Trunc(x);
  const auto up = hn::Ge(hn::Abs(hn::Sub(x, whole)), set(0.5f));
  const V one = hn::CopySign(set(1), x);
  return hn::IfThenElse(up, hn::Add(whole, one), hn::CopySign(whole, x));
}

HWY_INLINE V maximum(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(b)), a, b);
}
HWY_INLINE V minimum(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(b)), a, b);
}

HWY_INLINE V clampOf(V x, V low, V high) {
  x = hn::IfThenElse(hn::Lt(x, low), low, x);
  return hn::IfThenElse(hn::Gt(x, high), high, x);
}

HWY_INLINE V varianceToInvStdDev(V x, V epsilon) {
  return rsqrt(hn::Add(x, epsilon));
}
HWY_INLINE V invStdDevToVariance(V x, V epsilon) {
  return hn::Sub(inverse(square(x)), epsilon);
}

// Not a fused multiply-add, which would round differently than two steps.
HWY_INLINE V productPlus(V a, V b, V c) { return hn::Add(hn::Mul(a, b), c); }
HWY_INLINE V productMinus(V a, V b, V c) { return hn::Sub(hn::Mul(a, b), c); }
HWY_INLINE V subtractProduct(V a, V b, V c) {
  return hn::Sub(c, hn::Mul(a, b));
}

HWY_INLINE V differenceTimes(V a, V b, V c) {
  return hn::Mul(hn::Sub(a, b), c);
}

template <std::size_t N>
HWY_INLINE V polynomial(V x, const float (&coefficients)[N]) {
  V result = set(coefficients[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;)
    result = hn::MulAdd(result, x, set(coefficients[i]));
  return result;
}

// exp(z^2) erfc(z), divided by its growth, is a smooth function of t = (z - 2)
// / (z + 2), approximated by a polynomial with a relative error of 2e-8.
HWY_INLINE V erfcOf(V x) {
  constexpr float kCoefficients[] = {
      1.27697840f,     -0.0927639974f,  -0.166031572f,  0.164055655f,
      -0.0542026221f,  -0.00806088818f, 0.00862535774f, 0.00131257087f,
      -0.00122234168f, -0.000396107124f};
  constexpr float kZeroFrom = 10.5f;
  const V z = hn::Min(hn::Abs(x), set(kZeroFrom));
  const V square = hn::Mul(z, z);
  // exp(-square) would magnify the rounding error of the square.
  const V lost = hn::MulSub(z, z, square);
  const V rounded = expOf(hn::Neg(square));
  const V gauss = hn::NegMulAdd(rounded, lost, rounded);
  const V t = hn::Div(hn::Sub(z, set(2)), hn::Add(z, set(2)));
  const V right = hn::Div(hn::Mul(gauss, polynomial(t, kCoefficients)),
                          hn::MulAdd(set(2), z, set(1)));
  const V both =
      hn::IfThenElse(hn::Lt(x, set(0)), hn::Sub(set(2), right), right);
  return keepNaN(x, both);
}

// A polynomial near zero, where 1 - erfc(x) would cancel; the same error.
HWY_INLINE V erfOf(V x) {
  constexpr float kCoefficients[] = {
      1.12837917f,    -0.376126258f,    0.112835851f,   -0.0268538119f,
      0.00518832756f, -0.000801019248f, 7.85385755e-05f};
  const V magnitude = hn::Abs(x);
  const V near = hn::Mul(x, polynomial(hn::Mul(x, x), kCoefficients));
  const V far = hn::CopySign(hn::Sub(set(1), erfcOf(magnitude)), x);
  return hn::IfThenElse(hn::Lt(magnitude, set(1)), near, far);
}

// 1 + erf(x) would cancel for negative x.
HWY_INLINE V geluErfOf(V x) {
  constexpr float kMinusRootHalf = -0.70710678f;
  return hn::Mul(hn::Mul(set(0.5f), x),
                 erfcOf(hn::Mul(x, set(kMinusRootHalf))));
}

// The vector versions of sine and cosine have too few bits of pi for large
// angles; these use the C library.
template <class F> HWY_INLINE V largeAnglesBy(F f, V x, V result) {
  constexpr float kMaxAngle = 39000;
  const D d;
  const auto small = hn::Le(hn::Abs(x), set(kMaxAngle));
  if (HWY_LIKELY(hn::AllTrue(d, small)))
    return result;
  HWY_ALIGN float angles[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(x, d, angles);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i)
    angles[i] = f(angles[i]);
  return hn::IfThenElse(small, result, hn::Load(d, angles));
}

HWY_INLINE V sinOf(V x) {
  return largeAnglesBy([](float a) { return std::sin(a); }, x, hn::Sin(D(), x));
}
HWY_INLINE V cosOf(V x) {
  return largeAnglesBy([](float a) { return std::cos(a); }, x, hn::Cos(D(), x));
}

POPOPS_VECTOR_LOOP(absLoop, 1, hn::Abs)
POPOPS_VECTOR_LOOP(ceilLoop, 1, hn::Ceil)
POPOPS_VECTOR_LOOP(floorLoop, 1, hn::Floor)
POPOPS_VECTOR_LOOP(truncLoop, 1, hn::Trunc)
POPOPS_VECTOR_LOOP(nearbyLoop, 1, hn::Round)
POPOPS_VECTOR_LOOP(roundLoop, 1, roundAway)
POPOPS_VECTOR_LOOP(negateLoop, 1, hn::Neg)
POPOPS_VECTOR_LOOP(inverseLoop, 1, inverse)
POPOPS_VECTOR_LOOP(sqrtLoop, 1, hn::Sqrt)
POPOPS_VECTOR_LOOP(rsqrtLoop, 1, rsqrt)
POPOPS_VECTOR_LOOP(squareLoop, 1, square)
POPOPS_VECTOR_LOOP(reluLoop, 1, relu)
POPOPS_VECTOR_LOOP(signumLoop, 1, signum)
POPOPS_VECTOR_LOOP(expLoop, 1, expOf)
POPOPS_VECTOR_LOOP(expm1Loop, 1, expm1Of)
POPOPS_VECTOR_LOOP(logLoop, 1, logOf)
POPOPS_VECTOR_LOOP(log1pLoop, 1, log1pOf)
POPOPS_VECTOR_LOOP(tanhLoop, 1, tanhOf)
POPOPS_VECTOR_LOOP(erfLoop, 1, erfOf)
POPOPS_VECTOR_LOOP(geluErfLoop, 1, geluErfOf)
POPOPS_VECTOR_LOOP(sinLoop, 1, sinOf)
POPOPS_VECTOR_LOOP(cosLoop, 1, cosOf)
POPOPS_VECTOR_LOOP(sigmoidLoop, 1, sigmoidOf)
POPOPS_VECTOR_LOOP(addLoop, 2, hn::Add)
POPOPS_VECTOR_LOOP(subtractLoop, 2, hn::Sub)
POPOPS_VECTOR_LOOP(multiplyLoop, 2, hn::Mul)
POPOPS_VECTOR_LOOP(divideLoop, 2, hn::Div)
POPOPS_VECTOR_LOOP(maximumLoop, 2, maximum)
POPOPS_VECTOR_LOOP(minimumLoop, 2, minimum)
POPOPS_VECTOR_LOOP(toInvStdDevLoop, 2, varianceToInvStdDev)
POPOPS_VECTOR_LOOP(toVarianceLoop, 2, invStdDevToVariance)
POPOPS_VECTOR_LOOP(gateLoop, 2, gate)
POPOPS_VECTOR_LOOP(clampLoop, 3, clampOf)
POPOPS_VECTOR_LOOP(chooseLoop, 3, choose)
POPOPS_VECTOR_LOOP(chooseProductLoop, 5, chooseProduct)
POPOPS_VECTOR_LOOP(productPlusLoop, 3, productPlus)
POPOPS_VECTOR_LOOP(productMinusLoop, 3, productMinus)
POPOPS_VECTOR_LOOP(subtractProductLoop, 3, subtractProduct)
POPOPS_VECTOR_LOOP(differenceTimesLoop, 3, differenceTimes)

POPOPS_UNARY_LOOP(asinLoop, float, std::asin(a))
POPOPS_UNARY_LOOP(cbrtLoop, float, std::cbrt(a))
POPOPS_UNARY_LOOP(exp2Loop, float, std::exp2(a))
POPOPS_UNARY_LOOP(tanLoop, float, std::tan(a))
POPOPS_UNARY_LOOP(isFiniteLoop, std::uint8_t, std::fabs(a) < INFINITY)
POPOPS_UNARY_LOOP(isInfLoop, std::uint8_t, std::fabs(a) == INFINITY)
POPOPS_UNARY_LOOP(isNaNLoop, std::uint8_t, a != a)
POPOPS_BINARY_LOOP(atan2Loop, float, std::atan2(a, b))
POPOPS_BINARY_LOOP(powerLoop, float, std::pow(a, b))
POPOPS_BINARY_LOOP(remainderLoop, float, std::fmod(a, b))
POPOPS_BINARY_LOOP(equalLoop, std::uint8_t, a == b)
POPOPS_BINARY_LOOP(notEqualLoop, std::uint8_t, a != b)
POPOPS_BINARY_LOOP(greaterLoop, std::uint8_t, a > b)
POPOPS_BINARY_LOOP(greaterEqualLoop, std::uint8_t, a >= b)
POPOPS_BINARY_LOOP(lessLoop, std::uint8_t, a < b)
POPOPS_BINARY_LOOP(lessEqualLoop, std::uint8_t, a <= b)

void selectLoop(void *out, const void *const *in, std::size_t count) {
  const auto *a = static_cast<const float *>(in[0]);
  const auto *b = static_cast<const float *>(in[1]);
  const auto *condition = static_cast<const std::uint8_t *>(in[2]);
  auto *to = static_cast<float *>(out);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = condition[i] ? a[i] : b[i];
}

// One element for all.
void repeatLoop(void *out, const void *const *in, std::size_t count) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  float element;
  std::memcpy(&element, in[0], sizeof element);
  const V all = hn::Set(d, element);
  auto *to = static_cast<float *>(out);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(all, d, to + i);
  for (; i < count; ++i)
    std::memcpy(to + i, in[0], sizeof element);
}

Primitive floatUnary(UnaryOpType op) {
  switch (op) {
  case UnaryOpType::ABSOLUTE:
    return absLoop;
  case UnaryOpType::ASIN:
    return asinLoop;
  case UnaryOpType::CBRT:
    return cbrtLoop;
  case UnaryOpType::CEIL:
    return ceilLoop;
  case UnaryOpType::COS:
    return cosLoop;
  case UnaryOpType::ERF:
    return erfLoop;
  case UnaryOpType::EXPONENT:
    return expLoop;
  case UnaryOpType::EXPONENT_MINUS_ONE:
    return expm1Loop;
  case UnaryOpType::EXPONENT2:
    return exp2Loop;
  case UnaryOpType::FLOOR:
    return floorLoop;
  case UnaryOpType::GELU_ERF:
    return geluErfLoop;
  case UnaryOpType::INVERSE:
    return inverseLoop;
  case UnaryOpType::IS_FINITE:
    return isFiniteLoop;
  case UnaryOpType::IS_INF:
    return isInfLoop;
  case UnaryOpType::IS_NAN:
    return isNaNLoop;
  case UnaryOpType::LOGARITHM:
    return logLoop;
  case UnaryOpType::LOGARITHM_ONE_PLUS:
    return log1pLoop;
  case UnaryOpType::NEGATE:
    return negateLoop;
  case UnaryOpType::NEARBY_INT:
    return nearbyLoop;
  case UnaryOpType::RELU:
    return reluLoop;
  case UnaryOpType::SIGNUM:
    return signumLoop;
  case UnaryOpType::SIN:
    return sinLoop;
  case UnaryOpType::TAN:
    return tanLoop;
  case UnaryOpType::TANH:
    return tanhLoop;
  case UnaryOpType::ROUND:
    return roundLoop;
  case UnaryOpType::SQRT:
    return sqrtLoop;
  case UnaryOpType::SQUARE:
    return squareLoop;
  case UnaryOpType::SIGMOID:
    return sigmoidLoop;
  case UnaryOpType::RSQRT:
    return rsqrtLoop;
  case UnaryOpType::TRUNC:
    return truncLoop;
  default:
    return nullptr;
  }
}

Primitive floatBinary(BinaryOpType op) {
  switch (op) {
  case BinaryOpType::ADD:
    return addLoop;
  case BinaryOpType::ATAN2:
    return atan2Loop;
  case BinaryOpType::DIVIDE:
    return divideLoop;
  case BinaryOpType::EQUAL:
    return equalLoop;
  case BinaryOpType::GREATER_THAN_EQUAL:
    return greaterEqualLoop;
  case BinaryOpType::GREATER_THAN:
    return greaterLoop;
  case BinaryOpType::INV_STD_DEV_TO_VARIANCE:
    return toVarianceLoop;
  case BinaryOpType::LESS_THAN_EQUAL:
    return lessEqualLoop;
  case BinaryOpType::LESS_THAN:
    return lessLoop;
  case BinaryOpType::MAXIMUM:
    return maximumLoop;
  case BinaryOpType::MINIMUM:
    return minimumLoop;
  case BinaryOpType::MULTIPLY:
    return multiplyLoop;
  case BinaryOpType::NOT_EQUAL:
    return notEqualLoop;
  case BinaryOpType::POWER:
    return powerLoop;
  case BinaryOpType::REMAINDER:
    return remainderLoop;
  case BinaryOpType::SUBTRACT:
    return subtractLoop;
  case BinaryOpType::VARIANCE_TO_INV_STD_DEV:
    return toInvStdDevLoop;
  default:
    return nullptr;
  }
}

Primitive floatProduct(FusedProduct form) {
  switch (form) {
  case FusedProduct::plus:
    return productPlusLoop;
  case FusedProduct::minus:
    return productMinusLoop;
  case FusedProduct::subtractedFrom:
    return subtractProductLoop;
  case FusedProduct::ofDifference:
    return differenceTimesLoop;
  }
  return nullptr;
}

Primitive floatGate() { return gateLoop; }
Primitive floatChoice() { return chooseLoop; }
Primitive floatProductChoice() { return chooseProductLoop; }
Primitive floatRepeat() { return repeatLoop; }

Primitive floatTernary(TernaryOpType op) {
  return op == TernaryOpType::CLAMP ? clampLoop : selectLoop;
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(floatUnary);
HWY_EXPORT(floatBinary);
HWY_EXPORT(floatTernary);
HWY_EXPORT(floatProduct);
HWY_EXPORT(floatGate);
HWY_EXPORT(floatChoice);
HWY_EXPORT(floatProductChoice);
HWY_EXPORT(floatRepeat);

Primitive findFloatPrimitive(popops::expr::UnaryOpType op) {
  return HWY_DYNAMIC_DISPATCH(floatUnary)(op);
}
Primitive findFloatPrimitive(popops::expr::BinaryOpType op) {
  return HWY_DYNAMIC_DISPATCH(floatBinary)(op);
}
Primitive findFloatPrimitive(popops::expr::TernaryOpType op) {
  return HWY_DYNAMIC_DISPATCH(floatTernary)(op);
}
Primitive findFloatPrimitive(FusedProduct form) {
  return HWY_DYNAMIC_DISPATCH(floatProduct)(form);
}
Primitive findFloatGate() { return HWY_DYNAMIC_DISPATCH(floatGate)(); }
Primitive findFloatChoice() { return HWY_DYNAMIC_DISPATCH(floatChoice)(); }
Primitive findFloatProductChoice() {
  return HWY_DYNAMIC_DISPATCH(floatProductChoice)();
}
Primitive findFloatRepeat() { return HWY_DYNAMIC_DISPATCH(floatRepeat)(); }

} // namespace ipumodel
#endif
