// Loops over integers and BOOL, and conversions. These are simple and rarely
// dominate, so they are left to the compiler's vectoriser.
#include "popops/map/map_primitives.hpp"

#include "poplar/values/half.hpp"
#include "popops/map/map_float.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace ipumodel {

namespace {

using popops::expr::BinaryOpType;
using popops::expr::TernaryOpType;
using popops::expr::UnaryOpType;

template <class R, class T, R f(T)>
void unaryLoop(void *out, const void *const *in, std::size_t count) {
  const auto *a = static_cast<const T *>(in[0]);
  auto *to = static_cast<R *>(out);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = f(a[i]);
}

template <class R, class T, R f(T, T)>
void binaryLoop(void *out, const void *const *in, std::size_t count) {
  const auto *a = static_cast<const T *>(in[0]);
  const auto *b = static_cast<const T *>(in[1]);
  auto *to = static_cast<R *>(out);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = f(a[i], b[i]);
}

template <class T>
void selectLoop(void *out, const void *const *in, std::size_t count) {
  const auto *a = static_cast<const T *>(in[0]);
  const auto *b = static_cast<const T *>(in[1]);
  const auto *condition = static_cast<const std::uint8_t *>(in[2]);
  auto *to = static_cast<T *>(out);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = condition[i] ? a[i] : b[i];
}

template <class T>
void clampLoop(void *out, const void *const *in, std::size_t count) {
  const auto *a = static_cast<const T *>(in[0]);
  const auto *low = static_cast<const T *>(in[1]);
  const auto *high = static_cast<const T *>(in[2]);
  auto *to = static_cast<T *>(out);
  for (std::size_t i = 0; i < count; ++i)
    to[i] = std::min(std::max(a[i], low[i]), high[i]);
}

// Integers wrap around. Operations that are undefined on the device have a
// result here: division by zero gives 0, a shift by the width or more shifts
// all bits out.
template <class T> struct Ops {
  // Wide enough that products of short integers do not overflow as int.
  using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  static constexpr unsigned kBits = 8 * sizeof(T);

  static T add(T a, T b) { return T(U(a) + U(b)); }
  static T subtract(T a, T b) { return T(U(a) - U(b)); }
  static T multiply(T a, T b) { return T(U(a) * U(b)); }
  static bool overflows(T a, T b) {
    return std::is_signed_v<T> && b == T(-1) &&
           a == std::numeric_limits<T>::min();
  }
  static T divide(T a, T b) {
    return b == 0 ? T(0) : overflows(a, b) ? a : T(a / b);
  }
  static T remainder(T a, T b) {
    return b == 0 || overflows(a, b) ? T(0) : T(a % b);
  }
  static T power(T a, T b) {
    if (b < 0)
      return 0;
    U result = 1, base = U(std::make_unsigned_t<T>(a));
    for (auto n = std::make_unsigned_t<T>(b); n != 0; n >>= 1) {
      if (n & 1)
        result *= base;
      base *= base;
    }
    return T(result);
  }
  static T maximum(T a, T b) { return std::max(a, b); }
  static T minimum(T a, T b) { return std::min(a, b); }
  static T bitAnd(T a, T b) { return T(a & b); }
  static T bitOr(T a, T b) { return T(a | b); }
  static T bitXor(T a, T b) { return T(a ^ b); }
  static T bitXnor(T a, T b) { return T(~(a ^ b)); }
  static bool shiftsOut(T b) { return std::make_unsigned_t<T>(b) >= kBits; }
  static T shiftLeft(T a, T b) { return shiftsOut(b) ? T(0) : T(U(a) << b); }
  static T shiftRight(T a, T b) {
    return shiftsOut(b) ? T(0) : T(std::make_unsigned_t<T>(a) >> b);
  }
  static T shiftRightSigned(T a, T b) {
    using S = std::make_signed_t<T>;
    return T(S(a) >> (shiftsOut(b) ? kBits - 1 : unsigned(b)));
  }
  static std::uint8_t equal(T a, T b) { return a == b; }
  static std::uint8_t notEqual(T a, T b) { return a != b; }
  static std::uint8_t greater(T a, T b) { return a > b; }
  static std::uint8_t greaterEqual(T a, T b) { return a >= b; }
  static std::uint8_t less(T a, T b) { return a < b; }
  static std::uint8_t lessEqual(T a, T b) { return a <= b; }

  static T absolute(T a) { return a < 0 ? negate(a) : a; }
  static T negate(T a) { return T(U(0) - U(a)); }
  static T signum(T a) { return T((a > 0) - (a < 0)); }
  static T square(T a) { return multiply(a, a); }
  static T squareRoot(T a) {
    return a < 0 ? T(0) : T(std::sqrt(static_cast<double>(a)));
  }
  static T relu(T a) { return std::max(a, T(0)); }
  static T bitNot(T a) { return T(~a); }
  static T leadingZeros(T a) {
    unsigned n = 0;
    for (auto bits = std::make_unsigned_t<T>(a); n < kBits; ++n)
      if (bits >> (kBits - 1 - n) & 1)
        break;
    return T(n);
  }
  static T popCount(T a) {
    T n = 0;
    for (auto bits = std::make_unsigned_t<T>(a); bits != 0; bits &= bits - 1)
      ++n;
    return n;
  }
};

template <class T> Primitive integerUnary(UnaryOpType op) {
  using O = Ops<T>;
  switch (op) {
  case UnaryOpType::ABSOLUTE:
    return std::is_signed_v<T> ? unaryLoop<T, T, O::absolute> : nullptr;
  case UnaryOpType::NEGATE:
    return std::is_signed_v<T> ? unaryLoop<T, T, O::negate> : nullptr;
  case UnaryOpType::SIGNUM:
    return std::is_signed_v<T> ? unaryLoop<T, T, O::signum> : nullptr;
  case UnaryOpType::SQUARE:
    return unaryLoop<T, T, O::square>;
  case UnaryOpType::SQRT:
    return unaryLoop<T, T, O::squareRoot>;
  case UnaryOpType::RELU:
    return unaryLoop<T, T, O::relu>;
  case UnaryOpType::BITWISE_NOT:
    return unaryLoop<T, T, O::bitNot>;
  case UnaryOpType::COUNT_LEADING_ZEROS:
    return unaryLoop<T, T, O::leadingZeros>;
  case UnaryOpType::POPCOUNT:
    return unaryLoop<T, T, O::popCount>;
  default:
    return nullptr;
  }
}

template <class T> Primitive comparison(BinaryOpType op) {
  using O = Ops<T>;
  switch (op) {
  case BinaryOpType::EQUAL:
    return binaryLoop<std::uint8_t, T, O::equal>;
  case BinaryOpType::NOT_EQUAL:
    return binaryLoop<std::uint8_t, T, O::notEqual>;
  case BinaryOpType::GREATER_THAN:
    return binaryLoop<std::uint8_t, T, O::greater>;
  case BinaryOpType::GREATER_THAN_EQUAL:
    return binaryLoop<std::uint8_t, T, O::greaterEqual>;
  case BinaryOpType::LESS_THAN:
    return binaryLoop<std::uint8_t, T, O::less>;
  case BinaryOpType::LESS_THAN_EQUAL:
    return binaryLoop<std::uint8_t, T, O::lessEqual>;
  default:
    return nullptr;
  }
}

template <class T> Primitive integerBinary(BinaryOpType op) {
  using O = Ops<T>;
  switch (op) {
  case BinaryOpType::ADD:
    return binaryLoop<T, T, O::add>;
  case BinaryOpType::SUBTRACT:
    return binaryLoop<T, T, O::subtract>;
  case BinaryOpType::MULTIPLY:
    return binaryLoop<T, T, O::multiply>;
  case BinaryOpType::DIVIDE:
    return binaryLoop<T, T, O::divide>;
  case BinaryOpType::REMAINDER:
    return binaryLoop<T, T, O::remainder>;
  case BinaryOpType::POWER:
    return binaryLoop<T, T, O::power>;
  case BinaryOpType::MAXIMUM:
    return binaryLoop<T, T, O::maximum>;
  case BinaryOpType::MINIMUM:
    return binaryLoop<T, T, O::minimum>;
  case BinaryOpType::BITWISE_AND:
    return binaryLoop<T, T, O::bitAnd>;
  case BinaryOpType::BITWISE_OR:
    return binaryLoop<T, T, O::bitOr>;
  case BinaryOpType::BITWISE_XOR:
    return binaryLoop<T, T, O::bitXor>;
  case BinaryOpType::BITWISE_XNOR:
    return binaryLoop<T, T, O::bitXnor>;
  case BinaryOpType::SHIFT_LEFT:
    return binaryLoop<T, T, O::shiftLeft>;
  case BinaryOpType::SHIFT_RIGHT:
    return binaryLoop<T, T, O::shiftRight>;
  case BinaryOpType::SHIFT_RIGHT_SIGN_EXTEND:
    return binaryLoop<T, T, O::shiftRightSigned>;
  default:
    return comparison<T>(op);
  }
}

template <class T> Primitive integerTernary(TernaryOpType op) {
  if (op == TernaryOpType::SELECT)
    return selectLoop<T>;
  return std::is_signed_v<T> ? clampLoop<T> : nullptr;
}

std::uint8_t logicalAnd(std::uint8_t a, std::uint8_t b) { return a & b; }
std::uint8_t logicalOr(std::uint8_t a, std::uint8_t b) { return a | b; }
std::uint8_t logicalNot(std::uint8_t a) { return a ^ 1; }

Primitive boolPrimitive(MapOp op, unsigned code) {
  using T = std::uint8_t;
  if (op == MapOp::unary)
    return UnaryOpType(code) == UnaryOpType::LOGICAL_NOT
               ? unaryLoop<T, T, logicalNot>
               : nullptr;
  if (op == MapOp::ternary)
    return TernaryOpType(code) == TernaryOpType::SELECT ? selectLoop<T>
                                                        : nullptr;
  switch (BinaryOpType(code)) {
  case BinaryOpType::LOGICAL_AND:
    return binaryLoop<T, T, logicalAnd>;
  case BinaryOpType::LOGICAL_OR:
    return binaryLoop<T, T, logicalOr>;
  default:
    return comparison<T>(BinaryOpType(code));
  }
}

// BOOL as a distinct type, for conversions.
enum class Bool : std::uint8_t {};

// Floats are truncated towards zero; out of range they become the nearest
// limit, and NaN becomes 0.
template <class R, class T> R convertTo(T a) {
  if constexpr (std::is_same_v<R, Bool>) {
    if constexpr (std::is_same_v<T, Bool>)
      return a;
    else
      return Bool(a != 0);
  } else if constexpr (std::is_same_v<T, Bool>) {
    return R(static_cast<std::uint8_t>(a));
  } else if constexpr (std::is_floating_point_v<T> && std::is_integral_v<R>) {
    // Powers of two, so exact as floats.
    constexpr T kAbove = T(R(1) << (std::numeric_limits<R>::digits - 1)) * 2;
    constexpr T kLowest = T(std::numeric_limits<R>::min());
    if (a >= kAbove)
      return std::numeric_limits<R>::max();
    if (a >= kLowest)
      return R(a);
    return a != a ? R(0) : std::numeric_limits<R>::min();
  } else {
    return R(a);
  }
}

template <class T> Primitive conversion(Lane to) {
  switch (to) {
  case Lane::float32:
    return unaryLoop<float, T, convertTo<float, T>>;
  case Lane::boolean:
    return unaryLoop<Bool, T, convertTo<Bool, T>>;
  case Lane::int8:
    return unaryLoop<std::int8_t, T, convertTo<std::int8_t, T>>;
  case Lane::uint8:
    return unaryLoop<std::uint8_t, T, convertTo<std::uint8_t, T>>;
  case Lane::int16:
    return unaryLoop<std::int16_t, T, convertTo<std::int16_t, T>>;
  case Lane::uint16:
    return unaryLoop<std::uint16_t, T, convertTo<std::uint16_t, T>>;
  case Lane::int32:
    return unaryLoop<std::int32_t, T, convertTo<std::int32_t, T>>;
  case Lane::uint32:
    return unaryLoop<std::uint32_t, T, convertTo<std::uint32_t, T>>;
  case Lane::int64:
    return unaryLoop<std::int64_t, T, convertTo<std::int64_t, T>>;
  case Lane::uint64:
    return unaryLoop<std::uint64_t, T, convertTo<std::uint64_t, T>>;
  }
  return nullptr;
}

void roundHalfLoop(void *out, const void *const *in, std::size_t count) {
  constexpr std::size_t kChunk = 512;
  const auto *a = static_cast<const float *>(in[0]);
  auto *to = static_cast<float *>(out);
  for (std::size_t i = 0; i < count; i += kChunk) {
    std::uint16_t halves[kChunk];
    const std::size_t n = std::min(kChunk, count - i);
    floatsToHalves(a + i, halves, n);
    halvesToFloats(halves, to + i, n);
  }
}

float snapToHalf(float a, float tolerance) {
  const float half = halfToFloat(floatToHalf(a));
  return std::fabs(a - half) < tolerance * std::fabs(a) ? half : a;
}

Primitive floatPrimitive(MapOp op, unsigned code) {
  switch (op) {
  case MapOp::unary:
    return findFloatPrimitive(UnaryOpType(code));
  case MapOp::binary:
    return findFloatPrimitive(BinaryOpType(code));
  case MapOp::ternary:
    return findFloatPrimitive(TernaryOpType(code));
  case MapOp::convert:
    return conversion<float>(Lane(code));
  case MapOp::roundHalf:
    return roundHalfLoop;
  case MapOp::snapHalf:
    return binaryLoop<float, float, snapToHalf>;
  case MapOp::fusedProduct:
    return findFloatPrimitive(FusedProduct(code));
  case MapOp::gate:
    return findFloatGate();
  case MapOp::choose:
    return findFloatChoice();
  case MapOp::chooseProduct:
    return findFloatProductChoice();
  }
  return nullptr;
}

template <class T> Primitive integerPrimitive(MapOp op, unsigned code) {
  switch (op) {
  case MapOp::unary:
    return integerUnary<T>(UnaryOpType(code));
  case MapOp::binary:
    return integerBinary<T>(BinaryOpType(code));
  case MapOp::ternary:
    return integerTernary<T>(TernaryOpType(code));
  case MapOp::convert:
    return conversion<T>(Lane(code));
  default:
    return nullptr;
  }
}

} // namespace

Primitive findPrimitive(MapOp op, unsigned code, Lane operands) {
  switch (operands) {
  case Lane::float32:
    return floatPrimitive(op, code);
  case Lane::boolean:
    return op == MapOp::convert ? conversion<Bool>(Lane(code))
                                : boolPrimitive(op, code);
  case Lane::int8:
    return integerPrimitive<std::int8_t>(op, code);
  case Lane::uint8:
    return integerPrimitive<std::uint8_t>(op, code);
  case Lane::int16:
    return integerPrimitive<std::int16_t>(op, code);
  case Lane::uint16:
    return integerPrimitive<std::uint16_t>(op, code);
  case Lane::int32:
    return integerPrimitive<std::int32_t>(op, code);
  case Lane::uint32:
    return integerPrimitive<std::uint32_t>(op, code);
  case Lane::int64:
    return integerPrimitive<std::int64_t>(op, code);
  case Lane::uint64:
    return integerPrimitive<std::uint64_t>(op, code);
  }
  return nullptr;
}

} // namespace ipumodel
