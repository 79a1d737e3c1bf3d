// What an intervention does to the elements of a tensor, and the words by which
// the host asks for it at each update. Shared by device and host.
#pragma once

#include "codelets/stats_row.hpp"

namespace popscope {

enum class InterventionKind : unsigned { none, zero, scale, noise };

struct InterventionWords {
  unsigned kind; // an InterventionKind
  float amount;  // the factor of scale, the standard deviation of noise
  unsigned seed; // of noise; each execution leaves another one to the next
};

constexpr unsigned kInterventionWords =
    sizeof(InterventionWords) / sizeof(unsigned);

// The noise of an element depends on the seed and its index alone, so it is the
// same on any number of tiles and in every replica. A sum of four uniform
// numbers: mean 0, nearly normal, within 3.47 standard deviations.
inline float noiseOf(unsigned seed, unsigned index) {
  const unsigned a = mix(seed ^ mix(index));
  const unsigned b = mix(a + 0x9e3779b9u);
  const unsigned sum = (a & 0xffffu) + (a >> 16) + (b & 0xffffu) + (b >> 16);
  constexpr int kMean = 2 * 0xffff;
  constexpr float kPerDeviation = 1.7320508f / 65536; // sqrt(3) / 2^16
  return float(int(sum) - kMean) * kPerDeviation;
}

inline unsigned nextSeed(unsigned seed) { return mix(seed + 1); }

} // namespace popscope
