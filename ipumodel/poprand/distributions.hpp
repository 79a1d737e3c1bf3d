// Vectorised loops that turn random words into numbers. Their results have the
// same bits on every instruction set.
#pragma once

#include "poprand/philox.hpp"

#include <cstddef>
#include <cstdint>

namespace ipumodel {

// Words are drawn and used in groups of this many.
constexpr std::size_t kGroup = 64;

// Group g takes 16 blocks of the stream, starting at block 16 g: the first
// words of all of them, then the second words, and so on.
void drawWords(const RandomStream &stream, std::uint64_t firstGroup,
               std::size_t numGroups, std::uint32_t *words);

// A distribution has the name of its kernel, an id that separates the streams
// of operations, and a call operator that makes `count` elements (whole
// groups), FLOAT or INT, from as many words.
struct Uniform {
  static constexpr const char *kName = "poprand.uniform";
  static constexpr std::uint32_t kId = 1;
  float low, high;
  void operator()(const std::uint32_t *words, std::size_t count,
                  void *out) const;
  template <class Io> void fields(Io &io) { io(low, high); }
};

struct UniformInt {
  static constexpr const char *kName = "poprand.uniformInt";
  static constexpr std::uint32_t kId = 2;
  std::int32_t low;
  std::uint32_t count; // of different values; 0 for all 2^32
  void operator()(const std::uint32_t *words, std::size_t count,
                  void *out) const;
  template <class Io> void fields(Io &io) { io(low, count); }
};

struct LogUniform {
  static constexpr const char *kName = "poprand.logUniform";
  static constexpr std::uint32_t kId = 3;
  float logLow, logHigh;
  float low, high;
  bool truncates; // to INT
  void operator()(const std::uint32_t *words, std::size_t count,
                  void *out) const;
  template <class Io> void fields(Io &io) {
    io(logLow, logHigh, low, high, truncates);
  }
};

struct Bernoulli {
  static constexpr const char *kName = "poprand.bernoulli";
  static constexpr std::uint32_t kId = 4;
  std::uint32_t threshold; // in units of 1 / 65536
  std::uint32_t one;       // its bits
  void operator()(const std::uint32_t *words, std::size_t count,
                  void *out) const;
  template <class Io> void fields(Io &io) { io(threshold, one); }
};

struct Normal {
  static constexpr const char *kName = "poprand.normal";
  static constexpr std::uint32_t kId = 5;
  float mean, stdDev;
  void operator()(const std::uint32_t *words, std::size_t count,
                  void *out) const;
  template <class Io> void fields(Io &io) { io(mean, stdDev); }
};

struct TruncatedNormal {
  static constexpr const char *kName = "poprand.truncatedNormal";
  static constexpr std::uint32_t kId = 6;
  float mean, stdDev, alpha;
  float tail; // probability of a normal number below -alpha
  void operator()(const std::uint32_t *words, std::size_t count,
                  void *out) const;
  template <class Io> void fields(Io &io) { io(mean, stdDev, alpha, tail); }
};

// Selects elements: in * scale where the upper half of the word is below the
// threshold, else 0. `count` need not be whole groups.
struct Dropout {
  static constexpr const char *kName = "poprand.dropout";
  static constexpr std::uint32_t kId = 7;
  std::uint32_t threshold; // in units of 1 / 65536
  float scale;
  void operator()(const std::uint32_t *words, const float *in,
                  std::size_t count, float *out) const;
  template <class Io> void fields(Io &io) { io(threshold, scale); }
};

} // namespace ipumodel
