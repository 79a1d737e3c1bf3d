/* Functions of float applied to the elements of the device's types; what
   ipu_builtins.h and ipu_vector_math are made of. */
#pragma once

#include <ipudef.h>

#if defined(__POPC__) && defined(__cplusplus)

namespace poplar_vectors {

template <typename T> struct Elements {
  using type =
      typename std::remove_reference<decltype(std::declval<T &>()[0])>::type;
  enum : unsigned { count = sizeof(T) / sizeof(type) };
  static float get(const T &vector, unsigned i) { return vector[i]; }
  static void set(T &vector, unsigned i, float value) { vector[i] = value; }
};
template <typename T> struct OneElement {
  using type = T;
  enum : unsigned { count = 1 };
  static float get(T scalar, unsigned) { return scalar; }
  static void set(T &scalar, unsigned, float value) { scalar = value; }
};
template <> struct Elements<float> : OneElement<float> {};
template <> struct Elements<half> : OneElement<half> {};

// The result of `function` is rounded to the type of the elements.
template <typename T, typename F> T map(F function, T a) {
  T result;
  for (unsigned i = 0; i < Elements<T>::count; ++i)
    Elements<T>::set(result, i, function(Elements<T>::get(a, i)));
  return result;
}
template <typename T, typename F> T map(F function, T a, T b) {
  T result;
  for (unsigned i = 0; i < Elements<T>::count; ++i)
    Elements<T>::set(result, i,
                     function(Elements<T>::get(a, i), Elements<T>::get(b, i)));
  return result;
}

// The integers that hold the bits of a value, or the truth about its elements.
template <unsigned Size> struct IntegersOf;
template <> struct IntegersOf<2> { using type = short; };
template <> struct IntegersOf<4> { using type = int; };
template <> struct IntegersOf<8> { using type = int2; };
template <> struct IntegersOf<16> { using type = int4; };
template <typename T> struct TruthOf {
  using type = typename IntegersOf<sizeof(T)>::type;
};
template <> struct TruthOf<half> { using type = int; };
template <unsigned N> struct TruthOf<HalfVector<N>> : HalfTruth<N> {};

template <typename To, typename From> To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From), "the bits of one type as another");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
template <typename T> typename IntegersOf<sizeof(T)>::type bitsOf(T value) {
  return bitsAs<typename IntegersOf<sizeof(T)>::type>(value);
}

} // namespace poplar_vectors

#endif
