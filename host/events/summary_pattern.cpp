#include "host/events/summary_pattern.hpp"

#include "summary/record_format.hpp"

#include <algorithm>
#include <cstdint>

namespace popscope::host::events {

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kBlockWords = 64; // compared without looking

std::uint64_t wordOf(std::string_view bytes, std::size_t at) {
  return summary::loadLittleEndian<std::uint64_t>(bytes.data() + at);
}

} // namespace

void SummaryPattern::addScalar(std::string_view start) {
  bytes_ += start;
  mask_.append(start.size(), '\xff');
  bytes_.append(sizeof(float), '\0');
  mask_.append(sizeof(float), '\0');
}

bool SummaryPattern::matches(std::string_view summary) const {
  if (summary.size() != bytes_.size() || summary.size() < kWord)
    return false;
  const auto differ = [&](std::size_t at) {
    return (wordOf(summary, at) ^ wordOf(bytes_, at)) & wordOf(mask_, at);
  };
  const std::size_t words = summary.size() / kWord;
  for (std::size_t begin = 0; begin < words; begin += kBlockWords) {
    const std::size_t end = std::min(words, begin + kBlockWords);
    std::uint64_t difference = 0;
    for (std::size_t word = begin; word < end; ++word)
      difference |= differ(word * kWord);
    if (difference != 0)
      return false;
  }
  return differ(summary.size() - kWord) == 0;
}

} // namespace popscope::host::events
