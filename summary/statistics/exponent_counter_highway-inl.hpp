// Counting the exponents of floats, compiled once per instruction set.
#if defined(POPSCOPE_SUMMARY_EXPONENT_COUNTER_HIGHWAY_INL) ==                  \
    defined(HWY_TARGET_TOGGLE)
#ifdef POPSCOPE_SUMMARY_EXPONENT_COUNTER_HIGHWAY_INL
#undef POPSCOPE_SUMMARY_EXPONENT_COUNTER_HIGHWAY_INL
#else
#define POPSCOPE_SUMMARY_EXPONENT_COUNTER_HIGHWAY_INL
#endif

#include "summary/statistics/kernels.hpp"
#include "summary/statistics/nibble_counter_highway-inl.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace popscope::summary::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// Counts the exponents of a block. Most are among sixteen neighbours, which are
// counted in passing; a few others are counted one by one.
class ExponentCounter {
public:
  ExponentCounter(std::uint32_t first, ByteCounts &counts)
      : first_(first), counts_(counts) {}

  // Counts at most a round of exponents, given minus `first`. The array has
  // room for a whole round and is overwritten.
  void add(std::uint8_t *HWY_RESTRICT offsets, std::size_t count,
           bool allInWindow) {
    if (!allInWindow && !setOthersApart(offsets, count))
      return;
    const std::size_t round = NibbleCounter::roundBytes();
    if (count < round)
      std::memset(offsets + count, 0x80, round - count);
    inWindow_.add(offsets, [](auto index) HWY_ATTR { return index; });
  }

  // Call once, at the end: the remaining counts are known only then.
  void finish() {
    std::uint64_t found[NibbleCounter::kValues] = {};
    inWindow_.addTo(found);
    for (std::uint32_t i = 0; i < NibbleCounter::kValues; ++i)
      if (found[i] != 0)
        note(first_ + i, found[i]);
  }
  std::uint32_t lowest() const { return lowest_; }
  // Normal ones that are not among the sixteen.
  std::size_t numOthers() const { return numOthers_; }

private:
  void note(std::uint32_t exponent, std::uint64_t count) {
    counts_[exponent] += count;
    lowest_ = std::min(lowest_, exponent);
  }
  std::uint32_t exponentOf(std::uint8_t offset) const {
    return (offset + first_) % 256;
  }

  // Counts those outside the window, of which only zeros may be many, and marks
  // them. If too many others are outside, counts all and returns false.
  bool setOthersApart(std::uint8_t *HWY_RESTRICT offsets, std::size_t count) {
    const U8 d;
    const auto zero = hn::Set(d, static_cast<std::uint8_t>(0 - first_));
    const auto last = hn::Set(d, NibbleCounter::kValues - 1);
    const auto isInside = [&](auto offset) HWY_ATTR {
      return hn::Eq(hn::Max(offset, last), last);
    };
    std::size_t zeros = 0, inside = 0;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
      const auto offset = hn::LoadU(d, offsets + i);
      zeros += hn::CountTrue(d, hn::Eq(offset, zero));
      inside += hn::CountTrue(d, isInside(offset));
    }
    if (first_ == 0)
      zeros = 0; // they are inside
    const std::size_t others = count - inside - zeros;
    numOthers_ += others;
    if (others > count / 8) {
      for (std::size_t i = 0; i < count; ++i)
        note(exponentOf(offsets[i]), 1);
      return false;
    }
    if (zeros != 0)
      note(0, zeros);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
      const auto offset = hn::LoadU(d, offsets + i);
      const auto isCounted = hn::Or(isInside(offset), hn::Eq(offset, zero));
      if (!hn::AllTrue(d, isCounted))
        for (std::size_t j = i; j < i + hn::Lanes(d); ++j) {
          const std::uint32_t exponent = exponentOf(offsets[j]);
          if (offsets[j] >= NibbleCounter::kValues && exponent != 0)
            note(exponent, 1);
        }
      hn::StoreU(indexOrNone(offset), d, offsets + i);
    }
    return true;
  }

  std::uint32_t first_;
  ByteCounts &counts_;
  NibbleCounter inWindow_;
  std::uint32_t lowest_ = 255;
  std::size_t numOthers_ = 0;
};

#endif

} // namespace popscope::summary::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
