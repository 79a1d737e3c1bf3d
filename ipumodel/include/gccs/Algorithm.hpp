// Integer arithmetic for sizes and alignments. Arguments must not be negative,
// divisors must be positive.
#pragma once

#include <type_traits>
#include <utility>

namespace gccs {

template <class A, class B>
constexpr typename std::common_type<A, B>::type floordiv(A a, B b) {
  return a / b;
}

template <class A, class B>
constexpr typename std::common_type<A, B>::type ceildiv(A a, B b) {
  return a / b + (a % b != 0);
}

// The largest multiple of b that is <= a (the smallest that is >= a).
template <class A, class B>
constexpr typename std::common_type<A, B>::type alignPrev(A a, B b) {
  return floordiv(a, b) * b;
}

template <class A, class B>
constexpr typename std::common_type<A, B>::type alignNext(A a, B b) {
  return ceildiv(a, b) * b;
}

// The smallest n with 2^n >= a; 0 for a = 0.
template <class A> constexpr unsigned ceilLog2(A a) {
  return a <= 1 ? 0 : 1 + ceilLog2(ceildiv(a, A(2)));
}

// 1 + 2 + ... + n.
template <class A> constexpr A nthTriangular(A n) {
  return n % 2 == 0 ? n / 2 * (n + 1) : (n + 1) / 2 * n;
}

// How many of d parts of n have the size ceildiv(n, d), and how many have
// floordiv(n, d). If the sizes are equal, all are in the first number. For
// d = 0 there are none.
template <class T> constexpr std::pair<T, T> balancedPartition(T n, T d) {
  static_assert(std::is_unsigned<T>::value, "n and d must be unsigned");
  return d == 0       ? std::pair<T, T>(0, 0)
         : n % d == 0 ? std::pair<T, T>(d, 0)
                      : std::pair<T, T>(n % d, d - n % d);
}

} // namespace gccs
