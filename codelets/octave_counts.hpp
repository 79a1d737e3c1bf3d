// Counts elements by exponent. Exponents are one byte, so that a vector holds
// as many as it has bytes, and only octaves that occur are looked for.
#pragma once

#include "codelets/element_format.hpp"
#include "codelets/stats_row.hpp"

namespace popscope {

constexpr unsigned kKeys = 1024; // elements at a time

inline unsigned countKey(const unsigned char *keys, unsigned char key) {
  constexpr unsigned kByteLanes = 64;
  static_assert(kKeys / 32 <= 255, "lanes are bytes, even when joined");
  unsigned char lanes[kByteLanes] = {};
  for (unsigned i = 0; i < kKeys; i += kByteLanes)
    for (unsigned j = 0; j < kByteLanes; ++j)
      lanes[j] += keys[i + j] == key;
  unsigned char by32[32];
  for (unsigned j = 0; j < 32; ++j)
    by32[j] = (unsigned char)(lanes[j] + lanes[j + 32]);
  unsigned count = 0;
  for (unsigned j = 0; j < 32; ++j)
    count += by32[j];
  return count;
}

// Adds the finite elements of x to row.octaves, whose topExponent is not below
// any of theirs. `lowest` is not above any of their exponents but that of zero;
// hasNegative may be false only if none is negative.
template <typename T>
void countOctaves(StatsRow &row, const T *x, unsigned n, unsigned lowest,
                  bool hasNegative) {
  const unsigned top = row.topExponent;
  const unsigned window = top + 1 > kOctaves ? top + 1 - kOctaves : 0;
  unsigned begin = lowest > window ? lowest : window;
  begin = begin == 0 ? 1 : begin; // zero and float32 subnormals are in no bin
  unsigned char all[kKeys], negative[kKeys];
  for (unsigned i = 0; i < n; i += kKeys) {
    const unsigned count = n - i < kKeys ? n - i : kKeys;
    const T *part = x + i;
    for (unsigned j = 0; j < count; ++j)
      all[j] =
          (unsigned char)(magnitudeOf(ElementFormat<T>::toFloat(part[j])) >>
                          23);
    for (unsigned j = count; j < kKeys; ++j)
      all[j] = 0;
    if (hasNegative) {
      for (unsigned j = 0; j < count; ++j) {
        const unsigned bits = bitsOf(ElementFormat<T>::toFloat(part[j]));
        negative[j] = (unsigned char)((bits >> 23) & (0u - (bits >> 31)));
      }
      for (unsigned j = count; j < kKeys; ++j)
        negative[j] = 0;
    }
    // Small ones are rare: most often all are counted before the last octave.
    unsigned left = kKeys - countKey(all, 0);
    for (unsigned e = top; e >= begin && left != 0; --e) {
      const unsigned both = countKey(all, (unsigned char)e);
      if (both == 0)
        continue;
      left -= both;
      const unsigned below =
          hasNegative ? countKey(negative, (unsigned char)e) : 0;
      row.octaves[0][top - e] += both - below;
      row.octaves[1][top - e] += below;
    }
  }
}

} // namespace popscope
