// The device's vector types: float2, half4, int2 and so on. popc defines them
// for every target, unless the source defines one of them itself, as codelets
// do that have a path for CPUs. They do not exist outside codelets.
#pragma once

#include <poplar/HalfFloat.hpp>

#ifdef __POPC__

#include <cstdint>
#include <type_traits>

namespace poplar_vectors {

using float2 = float __attribute__((vector_size(8)));
using float4 = float __attribute__((vector_size(16)));
using char2 = char __attribute__((vector_size(2)));
using char4 = char __attribute__((vector_size(4)));
using uchar2 = unsigned char __attribute__((vector_size(2)));
using uchar4 = unsigned char __attribute__((vector_size(4)));
using short2 = short __attribute__((vector_size(4)));
using short4 = short __attribute__((vector_size(8)));
using short8 = short __attribute__((vector_size(16)));
using ushort2 = unsigned short __attribute__((vector_size(4)));
using ushort4 = unsigned short __attribute__((vector_size(8)));
using int2 = int __attribute__((vector_size(8)));
using int4 = int __attribute__((vector_size(16)));
using uint2 = unsigned __attribute__((vector_size(8)));
using uint4 = unsigned __attribute__((vector_size(16)));
using longlong2 = long long __attribute__((vector_size(16)));
using longlong4 = long long __attribute__((vector_size(32)));

// A long has 32 bits on the device.
using long2 = int2;
using long4 = int4;

template <unsigned N> struct HalfTruth {};
template <> struct HalfTruth<2> { using type = short2; };
template <> struct HalfTruth<4> { using type = short4; };
template <> struct HalfTruth<8> { using type = short8; };

template <unsigned N> struct FloatsOf {};
template <> struct FloatsOf<2> { using type = float2; };
template <> struct FloatsOf<4> { using type = float4; };
template <> struct FloatsOf<8> {
  using type = float __attribute__((vector_size(32)));
};

// N halves with the arithmetic of a built-in vector: by element, each result
// rounded to half; a scalar operand stands for N equal ones. Memory may be read
// as vectors whatever it was written as.
template <unsigned N>
class alignas(2 * N) __attribute__((may_alias)) HalfVector {
  template <typename T>
  using IfScalar =
      typename std::enable_if<std::is_convertible<T, float>::value>::type;
  template <typename V>
  using IfBits =
      typename std::enable_if<sizeof(V) == 2 * N &&
                              !std::is_convertible<V, float>::value &&
                              std::is_trivially_copyable<V>::value>::type;

  // -1 where a comparison holds, else 0.
  using Truth = typename HalfTruth<N>::type;
  using Floats = typename FloatsOf<N>::type;

public:
  HalfVector() = default;
  template <typename... T,
            typename = typename std::enable_if<sizeof...(T) == N - 2>::type>
  constexpr HalfVector(half first, half second, T... others)
      : elements_{first, second, half(others)...} {}

  // Casts between vectors of one size keep the bits.
  template <typename V, typename = IfBits<V>> explicit HalfVector(V other) {
    std::memcpy(elements_, &other, sizeof elements_);
  }
  template <typename V, typename = IfBits<V>> explicit operator V() const {
    V other;
    std::memcpy(&other, elements_, sizeof elements_);
    return other;
  }

  half &operator[](unsigned i) { return elements_[i]; }
  constexpr const half &operator[](unsigned i) const { return elements_[i]; }

  HalfVector operator+() const { return *this; }
  HalfVector operator-() const { return rounded(-floats()); }

#define POPLAR_HALF_VECTOR_OPERATOR(OP)                                        \
  friend HalfVector operator OP(HalfVector a, HalfVector b) {                  \
    return rounded(a.floats() OP b.floats());                                  \
  }                                                                            \
  template <typename T, typename = IfScalar<T>>                                \
  friend HalfVector operator OP(HalfVector a, const T &b) {                    \
    return a OP filledWith(half(b));                                           \
  }                                                                            \
  template <typename T, typename = IfScalar<T>>                                \
  friend HalfVector operator OP(const T &a, HalfVector b) {                    \
    return filledWith(half(a)) OP b;                                           \
  }                                                                            \
  template <typename T> HalfVector &operator OP##=(const T &b) {               \
    return *this = *this OP b;                                                 \
  }
  POPLAR_HALF_VECTOR_OPERATOR(+)
  POPLAR_HALF_VECTOR_OPERATOR(-)
  POPLAR_HALF_VECTOR_OPERATOR(*)
  POPLAR_HALF_VECTOR_OPERATOR(/)
#undef POPLAR_HALF_VECTOR_OPERATOR

#define POPLAR_HALF_VECTOR_COMPARISON(OP)                                      \
  friend Truth operator OP(HalfVector a, HalfVector b) {                       \
    return __builtin_convertvector(a.floats() OP b.floats(), Truth);           \
  }                                                                            \
  template <typename T, typename = IfScalar<T>>                                \
  friend Truth operator OP(HalfVector a, const T &b) {                         \
    return a OP filledWith(half(b));                                           \
  }                                                                            \
  template <typename T, typename = IfScalar<T>>                                \
  friend Truth operator OP(const T &a, HalfVector b) {                         \
    return filledWith(half(a)) OP b;                                           \
  }
  POPLAR_HALF_VECTOR_COMPARISON(==)
  POPLAR_HALF_VECTOR_COMPARISON(!=)
  POPLAR_HALF_VECTOR_COMPARISON(<)
  POPLAR_HALF_VECTOR_COMPARISON(<=)
  POPLAR_HALF_VECTOR_COMPARISON(>)
  POPLAR_HALF_VECTOR_COMPARISON(>=)
#undef POPLAR_HALF_VECTOR_COMPARISON

private:
#ifdef POPC_F16C
  using Halves = __fp16 __attribute__((vector_size(2 * N)));
  Floats floats() const {
    Halves halves;
    std::memcpy(&halves, elements_, sizeof halves);
    return __builtin_convertvector(halves, Floats);
  }
  static HalfVector rounded(Floats floats) {
    using Bits = decltype(floats < floats);
    const Bits bits =
        Bits(floats) | static_cast<int>(poplar::half_detail::unknownZero);
    return HalfVector(__builtin_convertvector(Floats(bits), Halves));
  }
#else
  Floats floats() const {
    Floats result;
    for (unsigned i = 0; i < N; ++i)
      result[i] = elements_[i];
    return result;
  }
  static HalfVector rounded(Floats floats) {
    HalfVector result;
    for (unsigned i = 0; i < N; ++i)
      result[i] = floats[i];
    return result;
  }
#endif

  static HalfVector filledWith(half value) {
    HalfVector result;
    for (unsigned i = 0; i < N; ++i)
      result[i] = value;
    return result;
  }

  half elements_[N];
};

using half2 = HalfVector<2>;
using half4 = HalfVector<4>;
using half8 = HalfVector<8>;

} // namespace poplar_vectors

#ifndef POPC_OWN_VECTOR_TYPES
using namespace poplar_vectors;
#endif

#endif // __POPC__
