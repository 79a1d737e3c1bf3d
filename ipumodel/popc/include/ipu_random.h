/* The IPU's random numbers: of the generator that the IPU has, xoroshiro128aox
   (Hanlon and Felix, "A Fast Hardware Pseudorandom Number Generator Based on
   xoroshiro128", 2022). Every vertex, and every worker of a MultiVertex, has
   one of its own, which the engine seeds when it loads. */
#pragma once

#include <ipu_elements.h>

#if defined(__POPC__) && defined(__cplusplus)

// Of the vertex that runs on this thread.
extern __attribute__((
    visibility("hidden"))) __thread unsigned long long *popc_random_state;

#if !defined(POPC_OWN_BUILTINS)

namespace poplar_vectors {

inline unsigned long long rotateLeft(unsigned long long x, int bits) {
  return x << bits | x >> (64 - bits);
}

inline unsigned long long nextRandom() {
  unsigned long long *const state = popc_random_state;
  const unsigned long long both = state[0] & state[1];
  const unsigned long long either = state[0] ^ state[1];
  state[0] = rotateLeft(state[0], 55) ^ either ^ (either << 14);
  state[1] = rotateLeft(either, 36);
  return either ^ (rotateLeft(both, 1) | rotateLeft(both, 2));
}

// In [-0.5, 0.5), a multiple of 2^-Bits.
template <int Bits> float uniform() {
  return float(int(nextRandom() >> (64 - Bits)) - (1 << (Bits - 1))) /
         float(1 << Bits);
}

// The sum of twelve uniform numbers of 16 bits, whose variance is one: exact,
// and so the same on every machine.
inline float gaussian() {
  int sum = 0;
  for (int draw = 0; draw < 3; ++draw)
    for (unsigned long long bits = nextRandom(), part = 0; part < 4;
         ++part, bits >>= 16)
      sum += int(bits & 0xffff);
  return float(2 * sum - 12 * 0xffff) / 131072.0f;
}

} // namespace poplar_vectors

// popc looks for whole names in what includes this.
#define POPC_RANDOM(TYPE, NAME, EXPRESSION)                                    \
  static inline TYPE __builtin_ipu_##NAME() { return EXPRESSION; }
POPC_RANDOM(unsigned, urand32, unsigned(::poplar_vectors::nextRandom() >> 32))
POPC_RANDOM(unsigned long long, urand64, ::poplar_vectors::nextRandom())
POPC_RANDOM(float, urand_f32, ::poplar_vectors::uniform<24>())
POPC_RANDOM(half, urand_f16, half(::poplar_vectors::uniform<11>()))
#undef POPC_RANDOM
#define POPC_GAUSSIAN(TYPE, PREFIX)                                            \
  static inline TYPE __builtin_ipu_##PREFIX##grand() {                         \
    TYPE pair;                                                                 \
    for (unsigned i = 0; i < 2; ++i)                                           \
      pair[i] = ::poplar_vectors::gaussian();                                  \
    return pair;                                                               \
  }
POPC_GAUSSIAN(::poplar_vectors::float2, f32v2)
POPC_GAUSSIAN(::poplar_vectors::half2, f16v2)
#undef POPC_GAUSSIAN

#endif
#endif
