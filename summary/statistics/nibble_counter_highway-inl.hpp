// Counting bytes without a table, compiled once per instruction set.
#if defined(POPSCOPE_SUMMARY_NIBBLE_COUNTER_HIGHWAY_INL) ==                    \
    defined(HWY_TARGET_TOGGLE)
#ifdef POPSCOPE_SUMMARY_NIBBLE_COUNTER_HIGHWAY_INL
#undef POPSCOPE_SUMMARY_NIBBLE_COUNTER_HIGHWAY_INL
#else
#define POPSCOPE_SUMMARY_NIBBLE_COUNTER_HIGHWAY_INL
#endif

#include "summary/statistics/kernels_highway-inl.hpp"

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace popscope::summary::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// Adds bits, place by place. The lower bits of the sums replace `sum`, the
// upper ones are returned.
template <class V> HWY_INLINE V addBits(V &sum, V a, V b) {
  const V differ = hn::Xor(a, b);
#if HWY_TARGET <= HWY_AVX3
  const V carry = hn::IfVecThenElse(differ, sum, a); // for each bit
#else
  const V carry = hn::Or(hn::And(a, b), hn::And(differ, sum));
#endif
  sum = hn::Xor(differ, sum);
  return carry;
}

// Bytes below 16 as they are, others with their highest bit set.
template <class V> HWY_INLINE V indexOrNone(V byte) {
  const U8 d;
  return hn::And(hn::SaturatedAdd(byte, hn::Set(d, 0x70)), hn::Set(d, 0x8f));
}

// How often each of sixteen values occurs among at most kLongBlock bytes. A
// look-up turns a byte into one bit of eight, for the lower values and for the
// upper ones; these are added up place by place, and a vector holds one binary
// digit of all the sums.
class NibbleCounter {
public:
  static constexpr std::size_t kValues = 16;
  static constexpr std::size_t kRound = 32; // vectors that are added together

  static std::size_t roundBytes() { return kRound * hn::Lanes(U8()); }

  // Counts a round of bytes. `toIndex` makes a vector of values, below
  // kValues, of one of them; with its highest bit set, a byte is not counted.
  template <class ToIndex>
  HWY_INLINE void add(const std::uint8_t *HWY_RESTRICT bytes,
                      ToIndex &&toIndex) {
    ++rounds_;
    if ((rounds_ & (rounds_ - 1)) == 0)
      ++digits_; // a power of two has one more
    for (std::size_t half = 0; half < 2; ++half)
      addHalf(half, bytes, toIndex);
  }

  // Adds the counts to `counts`, one for each value.
  void addTo(std::uint64_t *counts) const {
    const U8 d;
    const hn::RebindToSigned<U8> di;
    for (std::size_t half = 0; half < 2; ++half)
      for (std::size_t digit = 0; digit < digits_; ++digit) {
        auto bits = hn::Load(d, sums_[half][digit]);
        for (std::size_t bit = 8; bit-- > 0; bits = hn::Add(bits, bits))
          counts[half * 8 + bit] +=
              std::uint64_t(hn::CountTrue(
                  di, hn::Lt(hn::BitCast(di, bits), hn::Zero(di))))
              << digit;
      }
  }

private:
  static constexpr std::size_t kRoundDigits = 5; // 2^5 vectors
  static_assert(std::size_t(1) << kRoundDigits == kRound);
  // No vector is smaller than 16 bytes.
  static constexpr std::size_t kDigits = 13;
  static_assert(kLongBlock / 16 < std::size_t(1) << kDigits);

  template <class ToIndex>
  HWY_INLINE void addHalf(std::size_t half,
                          const std::uint8_t *HWY_RESTRICT bytes,
                          ToIndex &&toIndex) {
    const U8 d;
    const std::size_t lanes = hn::Lanes(d);
    alignas(16) static constexpr std::uint8_t kBits[2][16] = {
        {1, 2, 4, 8, 16, 32, 64, 128},
        {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128}};
    const auto table = hn::LoadDup128(d, kBits[half]);
    std::uint8_t(*sums)[HWY_MAX_BYTES] = sums_[half];
    auto ones = hn::Load(d, sums[0]), twos = hn::Load(d, sums[1]);
    auto fours = hn::Load(d, sums[2]), eights = hn::Load(d, sums[3]);
    auto sixteens = hn::Load(d, sums[4]);
    const auto bits = [&](std::size_t i) HWY_ATTR {
      return hn::TableLookupBytesOr0(table,
                                     toIndex(hn::LoadU(d, bytes + i * lanes)));
    };
    const auto two = [&](std::size_t i) HWY_ATTR {
      return addBits(ones, bits(i), bits(i + 1));
    };
    const auto four = [&](std::size_t i) HWY_ATTR {
      const auto a = two(i), b = two(i + 2);
      return addBits(twos, a, b);
    };
    const auto eight = [&](std::size_t i) HWY_ATTR {
      const auto a = four(i), b = four(i + 4);
      return addBits(fours, a, b);
    };
    const auto sixteen = [&](std::size_t i) HWY_ATTR {
      const auto a = eight(i), b = eight(i + 8);
      return addBits(eights, a, b);
    };
    const auto a = sixteen(0), b = sixteen(16);
    auto carry = addBits(sixteens, a, b);
    hn::Store(ones, d, sums[0]);
    hn::Store(twos, d, sums[1]);
    hn::Store(fours, d, sums[2]);
    hn::Store(eights, d, sums[3]);
    hn::Store(sixteens, d, sums[4]);
    for (std::size_t digit = kRoundDigits; digit < digits_; ++digit) {
      const auto sum = hn::Load(d, sums[digit]);
      hn::Store(hn::Xor(sum, carry), d, sums[digit]);
      carry = hn::And(sum, carry);
    }
  }

  HWY_ALIGN std::uint8_t sums_[2][kDigits][HWY_MAX_BYTES] = {};
  std::size_t rounds_ = 0;
  std::size_t digits_ = kRoundDigits;
};

#endif

} // namespace popscope::summary::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
