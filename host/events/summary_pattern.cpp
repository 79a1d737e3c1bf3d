#include "host/events/summary_pattern.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace popscope::host::events {

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kBlockWords = 64; // compared without looking

// At least a word of bytes, equal wherever the mask has ones. Inlined into a
// function for each kind of processor, which the compiler then vectorises.
[[gnu::always_inline]] inline bool haveEqualBits(const char *a, const char *b,
                                                 const char *mask,
                                                 std::size_t size) {
  const auto differ = [&](std::size_t at) __attribute__((always_inline)) {
    const auto word = [at](const char *from) __attribute__((always_inline)) {
      std::uint64_t bits;
      std::memcpy(&bits, from + at, sizeof bits);
      return bits;
    };
    return (word(a) ^ word(b)) & word(mask);
  };
  const std::size_t words = size / kWord;
  for (std::size_t begin = 0; begin < words; begin += kBlockWords) {
    const std::size_t end = std::min(words, begin + kBlockWords);
    std::uint64_t difference = 0;
    for (std::size_t word = begin; word < end; ++word)
      difference |= differ(word * kWord);
    if (difference != 0)
      return false;
  }
  return differ(size - kWord) == 0;
}

bool haveEqualBitsPlain(const char *a, const char *b, const char *mask,
                        std::size_t size) {
  return haveEqualBits(a, b, mask, size);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] bool haveEqualBitsAvx2(const char *a, const char *b,
                                               const char *mask,
                                               std::size_t size) {
  return haveEqualBits(a, b, mask, size);
}
#endif

auto fastestComparison() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return haveEqualBitsAvx2;
#endif
  return haveEqualBitsPlain;
}

} // namespace

void SummaryPattern::addScalar(std::string_view start) {
  bytes_ += start;
  mask_.append(start.size(), '\xff');
  bytes_.append(sizeof(float), '\0');
  mask_.append(sizeof(float), '\0');
}

bool SummaryPattern::matches(std::string_view summary) const {
  static const auto equal = fastestComparison();
  return summary.size() == bytes_.size() && summary.size() >= kWord &&
         equal(summary.data(), bytes_.data(), mask_.data(), summary.size());
}

} // namespace popscope::host::events
