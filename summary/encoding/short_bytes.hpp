// Comparing and copying names without a call, which takes longer than that.
#pragma once

#include "summary/records/record_format.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace popscope::summary {

// Of at least as many bytes as a word has: all of them, in words the last two
// of which may overlap.
template <class Word>
bool haveEqualWords(const char *a, const char *b, std::size_t size) {
  const auto differ = [&](std::size_t at) {
    return loadLittleEndian<Word>(a + at) ^ loadLittleEndian<Word>(b + at);
  };
  Word difference = differ(size - sizeof(Word));
  for (std::size_t at = 0; at + sizeof(Word) < size; at += sizeof(Word))
    difference |= differ(at);
  return difference == 0;
}

inline bool haveEqualBytes(const char *a, const char *b, std::size_t size) {
  if (size >= sizeof(std::uint64_t))
    return haveEqualWords<std::uint64_t>(a, b, size);
  if (size >= sizeof(std::uint32_t))
    return haveEqualWords<std::uint32_t>(a, b, size);
  for (std::size_t at = 0; at < size; ++at)
    if (a[at] != b[at])
      return false;
  return true;
}

inline bool haveEqualBytes(std::string_view a, std::string_view b) {
  return a.size() == b.size() && haveEqualBytes(a.data(), b.data(), a.size());
}

// Of one to two words: the first and the last, which may overlap.
template <class Word> void copyWords(char *to, std::string_view bytes) {
  const std::size_t last = bytes.size() - sizeof(Word);
  const Word end = loadLittleEndian<Word>(bytes.data() + last);
  storeLittleEndian(to, loadLittleEndian<Word>(bytes.data()));
  storeLittleEndian(to + last, end);
}

// To a place that does not overlap them.
inline void copyBytes(char *to, std::string_view bytes) {
  if (bytes.size() > 2 * sizeof(std::uint64_t))
    std::memcpy(to, bytes.data(), bytes.size());
  else if (bytes.size() >= sizeof(std::uint64_t))
    copyWords<std::uint64_t>(to, bytes);
  else if (bytes.size() >= sizeof(std::uint32_t))
    copyWords<std::uint32_t>(to, bytes);
  else
    for (std::size_t at = 0; at < bytes.size(); ++at)
      to[at] = bytes[at];
}

} // namespace popscope::summary
