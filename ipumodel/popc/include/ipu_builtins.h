/* The IPU's instructions as functions: those that compute a value of their
   operands, with the rounding of this CPU. Instructions that read or write the
   tile's registers or accumulators do not exist here. */
#pragma once

#include <ipu_elements.h>
#include <ipu_random.h>

#if defined(__POPC__) && defined(__cplusplus) && !defined(POPC_OWN_BUILTINS)

// An instruction has a name for each type, and one for all of them.
#define POPC_UNARY(TYPE, NAME, PREFIX, EXPRESSION)                             \
  static inline TYPE __builtin_ipu_##PREFIX##NAME(TYPE a) {                    \
    return ::poplar_vectors::map([](float x) { return EXPRESSION; }, a);       \
  }                                                                            \
  static inline TYPE __builtin_ipu_##NAME(TYPE a) {                            \
    return __builtin_ipu_##PREFIX##NAME(a);                                    \
  }
#define POPC_BINARY(TYPE, NAME, PREFIX, EXPRESSION)                            \
  static inline TYPE __builtin_ipu_##PREFIX##NAME(TYPE a, TYPE b) {            \
    return ::poplar_vectors::map([](float x, float y) { return EXPRESSION; },  \
                                 a, b);                                        \
  }                                                                            \
  static inline TYPE __builtin_ipu_##NAME(TYPE a, TYPE b) {                    \
    return __builtin_ipu_##PREFIX##NAME(a, b);                                 \
  }
// All bits set where the comparison holds.
#define POPC_COMPARISON(TYPE, NAME, PREFIX, OPERATOR)                          \
  static inline TYPE __builtin_ipu_##PREFIX##NAME(TYPE a, TYPE b) {            \
    return ::poplar_vectors::bitsAs<TYPE>(                                     \
        ::poplar_vectors::TruthOf<TYPE>::type(a OPERATOR b));                  \
  }                                                                            \
  static inline TYPE __builtin_ipu_##NAME(TYPE a, TYPE b) {                    \
    return __builtin_ipu_##PREFIX##NAME(a, b);                                 \
  }
#define POPC_FOR_EACH_TYPE(MACRO, NAME, ARGUMENT)                              \
  MACRO(float, NAME, f32, ARGUMENT)                                            \
  MACRO(::poplar_vectors::float2, NAME, f32v2, ARGUMENT)                       \
  MACRO(::poplar_vectors::half2, NAME, f16v2, ARGUMENT)                        \
  MACRO(::poplar_vectors::half4, NAME, f16v4, ARGUMENT)

POPC_FOR_EACH_TYPE(POPC_BINARY, max, __builtin_fmaxf(x, y))
POPC_FOR_EACH_TYPE(POPC_BINARY, min, __builtin_fminf(x, y))
POPC_FOR_EACH_TYPE(POPC_BINARY, absadd, __builtin_fabsf(x) + __builtin_fabsf(y))
POPC_FOR_EACH_TYPE(POPC_BINARY, absmax,
                   __builtin_fmaxf(__builtin_fabsf(x), __builtin_fabsf(y)))
#undef POPC_FOR_EACH_TYPE

#define POPC_FOR_EACH_VECTOR(MACRO, NAME, ARGUMENT)                            \
  MACRO(::poplar_vectors::float2, NAME, f32v2, ARGUMENT)                       \
  MACRO(::poplar_vectors::half2, NAME, f16v2, ARGUMENT)                        \
  MACRO(::poplar_vectors::half4, NAME, f16v4, ARGUMENT)
#define POPC_SCALAR_COMPARISON(NAME, OPERATOR)                                 \
  static inline float __builtin_ipu_f32##NAME(float a, float b) {              \
    return ::poplar_vectors::bitsAs<float>(a OPERATOR b ? -1 : 0);             \
  }                                                                            \
  static inline float __builtin_ipu_##NAME(float a, float b) {                 \
    return __builtin_ipu_f32##NAME(a, b);                                      \
  }                                                                            \
  POPC_FOR_EACH_VECTOR(POPC_COMPARISON, NAME, OPERATOR)

POPC_SCALAR_COMPARISON(cmpeq, ==)
POPC_SCALAR_COMPARISON(cmpne, !=)
POPC_SCALAR_COMPARISON(cmplt, <)
POPC_SCALAR_COMPARISON(cmple, <=)
POPC_SCALAR_COMPARISON(cmpgt, >)
POPC_SCALAR_COMPARISON(cmpge, >=)
#undef POPC_SCALAR_COMPARISON
#undef POPC_FOR_EACH_VECTOR
#undef POPC_COMPARISON
#undef POPC_BINARY

#define POPC_TRANSCENDENTAL(NAME, EXPRESSION)                                  \
  POPC_UNARY(float, NAME, f32, EXPRESSION)                                     \
  POPC_UNARY(::poplar_vectors::half2, NAME, f16v2, EXPRESSION)
POPC_TRANSCENDENTAL(exp, __builtin_expf(x))
POPC_TRANSCENDENTAL(exp2, __builtin_exp2f(x))
POPC_TRANSCENDENTAL(ln, __builtin_logf(x))
POPC_TRANSCENDENTAL(log2, __builtin_log2f(x))
POPC_TRANSCENDENTAL(tanh, __builtin_tanhf(x))
POPC_TRANSCENDENTAL(sigm, 1.0f / (1.0f + __builtin_expf(-x)))
#undef POPC_TRANSCENDENTAL
#undef POPC_UNARY

// Limits {lower, upper} for all elements.
#define POPC_CLAMP(TYPE, PREFIX, LIMITS)                                       \
  static inline TYPE __builtin_ipu_##PREFIX##clamp(TYPE a, LIMITS limits) {    \
    const float lower = limits[0], upper = limits[1];                          \
    return ::poplar_vectors::map(                                              \
        [=](float x) {                                                         \
          return __builtin_fminf(__builtin_fmaxf(x, lower), upper);            \
        },                                                                     \
        a);                                                                    \
  }                                                                            \
  static inline TYPE __builtin_ipu_clamp(TYPE a, LIMITS limits) {              \
    return __builtin_ipu_##PREFIX##clamp(a, limits);                           \
  }
POPC_CLAMP(float, f32, ::poplar_vectors::float2)
POPC_CLAMP(::poplar_vectors::float2, f32v2, ::poplar_vectors::float2)
POPC_CLAMP(::poplar_vectors::half2, f16v2, ::poplar_vectors::half2)
POPC_CLAMP(::poplar_vectors::half4, f16v4, ::poplar_vectors::half2)
#undef POPC_CLAMP

#define POPC_BITWISE(TYPE, NAME, SUFFIX, EXPRESSION)                           \
  static inline TYPE __builtin_ipu_##NAME##_##SUFFIX(TYPE a, TYPE b) {         \
    const auto x = ::poplar_vectors::bitsOf(a);                                \
    const auto y = ::poplar_vectors::bitsOf(b);                                \
    return ::poplar_vectors::bitsAs<TYPE>(EXPRESSION);                         \
  }                                                                            \
  static inline TYPE __builtin_ipu_##NAME(TYPE a, TYPE b) {                    \
    return __builtin_ipu_##NAME##_##SUFFIX(a, b);                              \
  }
#define POPC_BITWISE_FOR_ALL(NAME, EXPRESSION)                                 \
  POPC_BITWISE(int, NAME, i32, EXPRESSION)                                     \
  POPC_BITWISE(float, NAME, f32, EXPRESSION)                                   \
  POPC_BITWISE(::poplar_vectors::float2, NAME, v2f32, EXPRESSION)
POPC_BITWISE_FOR_ALL(and, x &y)
POPC_BITWISE_FOR_ALL(andc, x & ~y)
POPC_BITWISE_FOR_ALL(or, x | y)
#undef POPC_BITWISE_FOR_ALL
#undef POPC_BITWISE
#define POPC_BITWISE_OF_UNSIGNED(NAME)                                         \
  static inline int __builtin_ipu_##NAME(unsigned a, int b) {                  \
    return __builtin_ipu_##NAME##_i32(int(a), b);                              \
  }
POPC_BITWISE_OF_UNSIGNED(and)
POPC_BITWISE_OF_UNSIGNED(andc)
POPC_BITWISE_OF_UNSIGNED(or)
#undef POPC_BITWISE_OF_UNSIGNED

#define POPC_NOT(TYPE, SUFFIX)                                                 \
  static inline TYPE __builtin_ipu_not_##SUFFIX(TYPE a) {                      \
    return ::poplar_vectors::bitsAs<TYPE>(~::poplar_vectors::bitsOf(a));       \
  }                                                                            \
  static inline TYPE __builtin_ipu_not(TYPE a) {                               \
    return __builtin_ipu_not_##SUFFIX(a);                                      \
  }
POPC_NOT(float, f32)
POPC_NOT(::poplar_vectors::float2, v2f32)
#undef POPC_NOT

#define POPC_CLASSIFICATION(TYPE, SUFFIX)                                      \
  static inline ::poplar_vectors::TruthOf<TYPE>::type                          \
      __builtin_ipu_isnan_##SUFFIX(TYPE a) {                                   \
    return a != a;                                                             \
  }                                                                            \
  static inline ::poplar_vectors::TruthOf<TYPE>::type                          \
      __builtin_ipu_isinf_##SUFFIX(TYPE a) {                                   \
    return (a == a) & (a - a != a - a);                                        \
  }                                                                            \
  static inline ::poplar_vectors::TruthOf<TYPE>::type                          \
      __builtin_ipu_isfinite_##SUFFIX(TYPE a) {                                \
    return a - a == a - a;                                                     \
  }                                                                            \
  static inline auto __builtin_ipu_isnan(TYPE a)                               \
      ->decltype(__builtin_ipu_isnan_##SUFFIX(a)) {                            \
    return __builtin_ipu_isnan_##SUFFIX(a);                                    \
  }                                                                            \
  static inline auto __builtin_ipu_isinf(TYPE a)                               \
      ->decltype(__builtin_ipu_isinf_##SUFFIX(a)) {                            \
    return __builtin_ipu_isinf_##SUFFIX(a);                                    \
  }                                                                            \
  static inline auto __builtin_ipu_isfinite(TYPE a)                            \
      ->decltype(__builtin_ipu_isfinite_##SUFFIX(a)) {                         \
    return __builtin_ipu_isfinite_##SUFFIX(a);                                 \
  }
POPC_CLASSIFICATION(float, f32)
POPC_CLASSIFICATION(::poplar_vectors::float2, v2f32)
POPC_CLASSIFICATION(::poplar_vectors::half2, v2f16)
POPC_CLASSIFICATION(::poplar_vectors::half4, v4f16)
#undef POPC_CLASSIFICATION

static inline float __builtin_ipu_f16tof32(half a) { return a; }
static inline half __builtin_ipu_f32tof16(float a) { return a; }

// Of neighbours: half as many sums, or maxima.
static inline float __builtin_ipu_f16v2sum(::poplar_vectors::half2 a) {
  return float(a[0]) + float(a[1]);
}
static inline ::poplar_vectors::float2
__builtin_ipu_f16v4sum(::poplar_vectors::half4 a) {
  return {float(a[0]) + float(a[1]), float(a[2]) + float(a[3])};
}
static inline float __builtin_ipu_sum(::poplar_vectors::half2 a) {
  return __builtin_ipu_f16v2sum(a);
}
static inline ::poplar_vectors::float2
__builtin_ipu_sum(::poplar_vectors::half4 a) {
  return __builtin_ipu_f16v4sum(a);
}
static inline half __builtin_ipu_f16v2maxc(::poplar_vectors::half2 a) {
  return __builtin_fmaxf(a[0], a[1]);
}
static inline ::poplar_vectors::half2
__builtin_ipu_f16v4maxc(::poplar_vectors::half4 a) {
  return {__builtin_fmaxf(a[0], a[1]), __builtin_fmaxf(a[2], a[3])};
}

// Elements or bytes of both operands in turn: of their first halves, of their
// second halves.
static inline ::poplar_vectors::float2
__builtin_ipu_sort4x32lo(::poplar_vectors::float2 a,
                         ::poplar_vectors::float2 b) {
  return {a[0], b[0]};
}
static inline ::poplar_vectors::float2
__builtin_ipu_sort4x32hi(::poplar_vectors::float2 a,
                         ::poplar_vectors::float2 b) {
  return {a[1], b[1]};
}
static inline unsigned __builtin_ipu_shuf8x8lo(unsigned a, unsigned b) {
  return (a & 0xff) | (b & 0xff) << 8 | (a & 0xff00) << 8 | (b & 0xff00) << 16;
}
static inline unsigned __builtin_ipu_shuf8x8hi(unsigned a, unsigned b) {
  return __builtin_ipu_shuf8x8lo(a >> 16, b >> 16);
}
// The even or odd bytes of a, then those of b.
static inline unsigned __builtin_ipu_sort8x8lo(unsigned a, unsigned b) {
  return (a & 0xff) | (a >> 8 & 0xff00) | (b & 0xff) << 16 |
         (b << 8 & 0xff000000);
}
static inline unsigned __builtin_ipu_sort8x8hi(unsigned a, unsigned b) {
  return __builtin_ipu_sort8x8lo(a >> 8, b >> 8);
}
// The bytes of each half of the word, exchanged.
static inline unsigned __builtin_ipu_swap8(unsigned a) {
  return (a >> 8 & 0xff00ff) | (a & 0xff00ff) << 8;
}
// The bits of each byte, reversed.
static inline unsigned __builtin_ipu_bitrev8(unsigned a) {
  return __builtin_bswap32(__builtin_bitreverse32(a));
}

static inline bool __builtin_ipu_is_worker_mode() { return true; }

// The cycles of this CPU.
static inline unsigned __builtin_ipu_get_scount_l() {
  return unsigned(__builtin_readcyclecounter());
}
static inline unsigned __builtin_ipu_get_scount_u() {
  return unsigned(__builtin_readcyclecounter() >> 32);
}

#endif
