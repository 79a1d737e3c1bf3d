// half, a 16-bit float (IEEE 754 binary16) that codelets use like a built-in
// type: every result of type half is rounded to nearest, ties to even.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace poplar {

template <typename T> class Input;
template <typename T> class Output;
template <typename T> class InOut;

namespace half_detail {

#if defined(__has_builtin)
#if __has_builtin(__builtin_bit_cast)
#define IPUMODEL_HALF_CONSTEXPR constexpr
template <typename To, typename From> constexpr To bitCast(From from) {
  return __builtin_bit_cast(To, from);
}
#endif
#endif
#ifndef IPUMODEL_HALF_CONSTEXPR
#define IPUMODEL_HALF_CONSTEXPR inline
template <typename To, typename From> To bitCast(From from) {
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
#endif

// All bits set if the condition holds. With masks instead of branches compilers
// vectorise loops over halves: several times as fast as conversions through
// _Float16 on CPUs without such instructions.
constexpr std::uint32_t mask(bool condition) {
  return 0u - static_cast<std::uint32_t>(condition);
}

// A half's bits, shifted to the position of a float's exponent, are a float
// 2^-112 times too small, subnormals included. A NaN becomes quiet, as in
// CPUs that have instructions for conversions.
IPUMODEL_HALF_CONSTEXPR float toFloatByBits(std::uint16_t half) {
  return bitCast<float>(
      bitCast<std::uint32_t>(bitCast<float>((half & 0x7fffu) << 13) *
                             5192296858534827628530496329220096.0f) | // 2^112
      (mask((half & 0x7fff) >= 0x7c00) & 0x7f800000u) |
      (mask((half & 0x7fff) > 0x7c00) & 0x00400000u) | (half & 0x8000u) << 16);
}

// `magnitude` is a float's bits without the sign. The bit patterns of halves
// are in the order of their values, so a carry out of the mantissa rounds up to
// the next power of two, or to infinity. Subnormals are rounded by adding 0.5,
// which aligns their last bit with the last bit of the float.
IPUMODEL_HALF_CONSTEXPR std::uint32_t roundMagnitude(std::uint32_t magnitude) {
  return (mask(magnitude < 0x38800000u) &
          (bitCast<std::uint32_t>(bitCast<float>(magnitude) + 0.5f) -
           0x3f000000u)) |
         (mask(magnitude >= 0x38800000u && magnitude < 0x47800000u) &
          ((magnitude - 0x38000000u + 0x0fffu + (magnitude >> 13 & 1u)) >>
           13)) |
         (mask(magnitude >= 0x47800000u) & 0x7c00u) |
         (mask(magnitude > 0x7f800000u) &
          (0x0200u | (magnitude >> 13 & 0x03ffu)));
}

IPUMODEL_HALF_CONSTEXPR std::uint16_t roundBits(std::uint32_t bits) {
  return static_cast<std::uint16_t>(roundMagnitude(bits & 0x7fffffffu) |
                                    (bits >> 16 & 0x8000u));
}

#ifdef POPC_F16C // popc compiles for a CPU that converts halves itself

// The CPU's own conversions give the same bits. They are conversions of vectors
// because clang vectorises those, and not conversions of one __fp16.
typedef __fp16 HalfLanes __attribute__((ext_vector_type(2)));
typedef float FloatLanes __attribute__((ext_vector_type(2)));

// A zero that the compiler does not know. Without it a product of halves would
// become one instruction on halves, which this CPU has not got, and which is
// never vectorised.
enum class Zero : std::uint32_t {};
__attribute__((weak, visibility("hidden"))) Zero unknownZero = Zero();

inline float toFloatByCpu(std::uint16_t half) {
  const HalfLanes lanes{__builtin_bit_cast(__fp16, half)};
  return __builtin_convertvector(lanes, FloatLanes)[0];
}
inline std::uint16_t roundByCpu(std::uint32_t bits) {
  const FloatLanes lanes{
      bitCast<float>(bits | static_cast<std::uint32_t>(unknownZero))};
  return __builtin_bit_cast(std::uint16_t,
                            __builtin_convertvector(lanes, HalfLanes)[0]);
}

IPUMODEL_HALF_CONSTEXPR float toFloat(std::uint16_t half) {
  return __builtin_is_constant_evaluated() ? toFloatByBits(half)
                                           : toFloatByCpu(half);
}
IPUMODEL_HALF_CONSTEXPR std::uint16_t round(float value) {
  return __builtin_is_constant_evaluated()
             ? roundBits(bitCast<std::uint32_t>(value))
             : roundByCpu(bitCast<std::uint32_t>(value));
}

#else

IPUMODEL_HALF_CONSTEXPR float toFloat(std::uint16_t half) {
  return toFloatByBits(half);
}
IPUMODEL_HALF_CONSTEXPR std::uint16_t round(float value) {
  return roundBits(bitCast<std::uint32_t>(value));
}

#endif

// Rounds to odd: truncates, and sets the last bit if anything was lost.
// Rounding the result to half is then the same as rounding `value` directly.
IPUMODEL_HALF_CONSTEXPR std::uint32_t oddFloatBits(double value,
                                                   float nearest) {
  return (bitCast<std::uint32_t>(nearest) -
          static_cast<std::uint32_t>(
              nearest < 0 ? static_cast<double>(nearest) < value
                          : static_cast<double>(nearest) > value)) |
         1u;
}

IPUMODEL_HALF_CONSTEXPR std::uint16_t round(double value) {
  return static_cast<double>(static_cast<float>(value)) == value ||
                 value != value
             ? round(static_cast<float>(value))
             : round(bitCast<float>(
                   oddFloatBits(value, static_cast<float>(value))));
}

// The number an operand holds: itself, or the element of a scalar edge.
template <typename T, typename = void> struct Element {};

// The type of an operation on A and B, one of which is a half: as in C, float
// or double if the other is one; an integer becomes half.
template <typename A, typename B, typename = void> struct Common {};

} // namespace half_detail
} // namespace poplar

class half {
public:
  half() = default;

  // A template, so that an edge (a class with a conversion) converts to half in
  // one step, as it does to float.
  template <typename T, typename = typename std::enable_if<
                            std::is_convertible<T, float>::value>::type>
  IPUMODEL_HALF_CONSTEXPR half(T value)
      : bits(poplar::half_detail::round(
            static_cast<typename std::conditional<
                std::is_same<T, double>::value ||
                    std::is_same<T, long double>::value,
                double, float>::type>(value))) {}

  IPUMODEL_HALF_CONSTEXPR operator float() const {
    return poplar::half_detail::toFloat(bits);
  }

  template <typename T> half &operator+=(T other) {
    return *this = *this + other;
  }
  template <typename T> half &operator-=(T other) {
    return *this = *this - other;
  }
  template <typename T> half &operator*=(T other) {
    return *this = *this * other;
  }
  template <typename T> half &operator/=(T other) {
    return *this = *this / other;
  }
  half &operator++() { return *this += 1; }
  half &operator--() { return *this -= 1; }
  half operator++(int) {
    const half old = *this;
    ++*this;
    return old;
  }
  half operator--(int) {
    const half old = *this;
    --*this;
    return old;
  }

  // Operands are taken as they are, edges too, so that these are preferred to
  // the built-in operators on float. A float has more than twice the bits of a
  // half, so rounding a result computed in float gives the correctly rounded
  // half.
  template <typename A, typename C = poplar::half_detail::Common<A, A>>
  friend IPUMODEL_HALF_CONSTEXPR typename C::type operator+(A a) {
    return C::widen(a);
  }
  template <typename A, typename C = poplar::half_detail::Common<A, A>>
  friend IPUMODEL_HALF_CONSTEXPR typename C::type operator-(A a) {
    return -C::widen(a);
  }
#define IPUMODEL_HALF_OPERATOR(OP, RESULT)                                     \
  template <typename A, typename B,                                            \
            typename C = poplar::half_detail::Common<A, B>>                    \
  friend IPUMODEL_HALF_CONSTEXPR typename C::RESULT operator OP(A a, B b) {    \
    return C::widen(a) OP C::widen(b);                                         \
  }
  IPUMODEL_HALF_OPERATOR(+, type)
  IPUMODEL_HALF_OPERATOR(-, type)
  IPUMODEL_HALF_OPERATOR(*, type)
  IPUMODEL_HALF_OPERATOR(/, type)
  IPUMODEL_HALF_OPERATOR(==, truth)
  IPUMODEL_HALF_OPERATOR(!=, truth)
  IPUMODEL_HALF_OPERATOR(<, truth)
  IPUMODEL_HALF_OPERATOR(<=, truth)
  IPUMODEL_HALF_OPERATOR(>, truth)
  IPUMODEL_HALF_OPERATOR(>=, truth)
#undef IPUMODEL_HALF_OPERATOR

  // Public, so that compilers let codelets copy halves as bytes.
  std::uint16_t bits;
};

namespace poplar {
namespace half_detail {

template <typename T>
struct Element<T, typename std::enable_if<std::is_arithmetic<T>::value ||
                                          std::is_same<T, half>::value>::type> {
  using type = T;
};
template <typename T> struct Element<Input<T>> : Element<T> {};
template <typename T> struct Element<Output<T>> : Element<T> {};
template <typename T> struct Element<InOut<T>> : Element<T> {};

// Computes in half if C is half, otherwise in C.
template <typename C> struct Arithmetic {
  using type = C;
  using truth = bool;
  template <typename T> static constexpr C widen(T value) {
    return static_cast<C>(value);
  }
};
template <> struct Arithmetic<half> {
  using type = half;
  using truth = bool;
  template <typename T> static IPUMODEL_HALF_CONSTEXPR float widen(T value) {
    return static_cast<float>(static_cast<half>(value));
  }
};

template <typename A, typename B>
struct CommonElement
    : Arithmetic<typename std::conditional<std::is_floating_point<B>::value, B,
                                           half>::type> {};
template <typename A> struct CommonElement<A, half> : CommonElement<half, A> {};
template <> struct CommonElement<half, half> : Arithmetic<half> {};

template <typename A, typename B>
struct Common<A, B,
              typename std::enable_if<
                  std::is_same<typename Element<A>::type, half>::value ||
                  std::is_same<typename Element<B>::type, half>::value>::type>
    : CommonElement<typename Element<A>::type, typename Element<B>::type> {};

} // namespace half_detail
} // namespace poplar

IPUMODEL_HALF_CONSTEXPR half operator""_h(long double value) {
  return half(value);
}
IPUMODEL_HALF_CONSTEXPR half operator""_h(unsigned long long value) {
  return half(value);
}

namespace std {

template <> class numeric_limits<half> {
  static IPUMODEL_HALF_CONSTEXPR half bits(std::uint16_t pattern) {
    return poplar::half_detail::bitCast<half>(pattern);
  }

public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr float_denorm_style has_denorm = denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr float_round_style round_style = round_to_nearest;
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int radix = 2;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;

  static IPUMODEL_HALF_CONSTEXPR half min() noexcept { return bits(0x0400); }
  static IPUMODEL_HALF_CONSTEXPR half max() noexcept { return bits(0x7bff); }
  static IPUMODEL_HALF_CONSTEXPR half lowest() noexcept { return bits(0xfbff); }
  static IPUMODEL_HALF_CONSTEXPR half epsilon() noexcept {
    return bits(0x1400);
  }
  static IPUMODEL_HALF_CONSTEXPR half round_error() noexcept {
    return bits(0x3800);
  }
  static IPUMODEL_HALF_CONSTEXPR half infinity() noexcept {
    return bits(0x7c00);
  }
  static IPUMODEL_HALF_CONSTEXPR half quiet_NaN() noexcept {
    return bits(0x7e00);
  }
  static IPUMODEL_HALF_CONSTEXPR half signaling_NaN() noexcept {
    return bits(0x7d00);
  }
  static IPUMODEL_HALF_CONSTEXPR half denorm_min() noexcept {
    return bits(0x0001);
  }
};

} // namespace std

#undef IPUMODEL_HALF_CONSTEXPR
