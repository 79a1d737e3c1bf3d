#include "poplin/matmul/sparse_product.hpp"

// Vectors of unknown size cannot be stored in arrays of accumulators.
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "poplin/matmul/sparse_product.cpp"
#include <algorithm>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After the header that includes this file for each target.
#include "poplin/matmul/first_lanes-inl.hpp"

#ifndef IPUMODEL_SCALED_ROWS_SET_LANES
#define IPUMODEL_SCALED_ROWS_SET_LANES
namespace ipumodel {

// For each mask of up to eight lanes, the indices of the set lanes in order,
// padded with lane 0. Highway's Compress has such a table too, but with its
// release 1.0 GCC copies the whole table at every use.
struct SetLanes {
  static constexpr std::size_t kLanes = 8;

  constexpr SetLanes() {
    for (std::size_t mask = 0; mask < (1 << kLanes); ++mask)
      for (std::size_t lane = 0, at = 0; lane < kLanes; ++lane)
        if (mask >> lane & 1)
          of[mask][at++] = static_cast<std::uint8_t>(lane);
  }

  std::uint8_t of[1 << kLanes][kLanes] = {};
};

inline constexpr SetLanes kSetLanes;

} // namespace ipumodel
#endif

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// As many accumulators as fit in the registers besides their operands.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr std::size_t kMaxVectors = 8, kMaxVectorsOfThree = 8;
#else
constexpr std::size_t kMaxVectors = 8, kMaxVectorsOfThree = 4;
#endif

// Adds the first `Vectors` vectors of `Count` lines of every sum.
template <std::size_t Count, std::size_t Vectors, bool Tail>
HWY_NOINLINE void sumLines(const SparseFactors &factors, const Lines &lines,
                           const float *base, float *sum, std::size_t tail) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const FirstLanes<D> last(tail);
  const float *bases[Count];
#pragma GCC unroll 3
  for (std::size_t l = 0; l < Count; ++l)
    bases[l] = base + l * lines.baseStep;
  const std::uint32_t *const offsets = factors.offsets;
  const float *const values = factors.values;
  for (std::size_t s = 0; s < factors.numSums; ++s) {
    const SparseSum &which = factors.sums[s];
    float *const to = sum + which.at;
    V sums[Count][Vectors];
#pragma GCC unroll 3
    for (std::size_t l = 0; l < Count; ++l)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < Vectors; ++v) {
        const float *from = to + l * lines.sumStep + v * lanes;
        sums[l][v] = factors.isFirst            ? hn::Zero(d)
                     : Tail && v + 1 == Vectors ? last.load(from)
                                                : hn::LoadU(d, from);
      }
    for (std::size_t i = which.begin; i < which.end; ++i) {
      const std::size_t offset = offsets[i];
      const V value = hn::Set(d, values[i]);
#pragma GCC unroll 3
      for (std::size_t l = 0; l < Count; ++l)
#pragma GCC unroll 8
        for (std::size_t v = 0; v < Vectors; ++v) {
          const float *from = bases[l] + offset + v * lanes;
          const V x =
              Tail && v + 1 == Vectors ? last.load(from) : hn::LoadU(d, from);
          sums[l][v] = hn::MulAdd(value, x, sums[l][v]);
        }
    }
#pragma GCC unroll 3
    for (std::size_t l = 0; l < Count; ++l)
#pragma GCC unroll 8
      for (std::size_t v = 0; v < Vectors; ++v) {
        float *const at = to + l * lines.sumStep + v * lanes;
        if (Tail && v + 1 == Vectors)
          last.store(sums[l][v], at);
        else
          hn::StoreU(sums[l][v], d, at);
      }
  }
}

template <std::size_t Count, std::size_t Vectors>
void dispatch(std::size_t vectors, const SparseFactors &factors,
              const Lines &lines, const float *base, float *sum,
              std::size_t tail) {
  if constexpr (Vectors > 1)
    if (vectors < Vectors)
      return dispatch<Count, Vectors - 1>(vectors, factors, lines, base, sum,
                                          tail);
  if (tail == hn::Lanes(D()))
    sumLines<Count, Vectors, false>(factors, lines, base, sum, tail);
  else
    sumLines<Count, Vectors, true>(factors, lines, base, sum, tail);
}

template <std::size_t Count, std::size_t MaxVectors>
void addToLines(const SparseFactors &factors, const Lines &lines,
                const float *base, float *sum) {
  const std::size_t lanes = hn::Lanes(D());
  // Sums that overlap are in order only if each is complete before the next.
  const bool isOnePart = lines.length <= MaxVectors * lanes;
  const std::size_t together = isOnePart ? factors.numSums : 1;
  for (std::size_t first = 0; first < factors.numSums; first += together) {
    const SparseFactors some{factors.offsets, factors.values,
                             factors.sums + first, together, factors.isFirst};
    for (std::size_t at = 0; at < lines.length;) {
      const std::size_t left = lines.length - at;
      const std::size_t vectors =
          std::min(MaxVectors, (left + lanes - 1) / lanes);
      const std::size_t width = std::min(left, vectors * lanes);
      dispatch<Count, MaxVectors>(vectors, some, lines, base + at, sum + at,
                                  width - (vectors - 1) * lanes);
      at += width;
    }
  }
}

void addSparseProducts(const SparseFactors &factors, const Lines &lines,
                       const float *base, float *sum) {
  std::size_t line = 0;
  for (; line + 3 <= lines.count; line += 3)
    addToLines<3, kMaxVectorsOfThree>(factors, lines,
                                      base + line * lines.baseStep,
                                      sum + line * lines.sumStep);
  for (; line < lines.count; ++line)
    addToLines<1, kMaxVectors>(factors, lines, base + line * lines.baseStep,
                               sum + line * lines.sumStep);
}

// The number of non-zero elements; may stop counting after more than `limit`.
std::size_t countNonZero(const float *x, std::size_t n, std::size_t limit) {
  constexpr std::size_t kVectors = 32; // between two checks of the limit
  const D d;
  const hn::RebindToUnsigned<D> du;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t found = 0, i = 0;
  for (; i + kVectors * lanes <= n && found <= limit; i += kVectors * lanes) {
    auto zeros = hn::Zero(du);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto isZero = hn::Eq(hn::LoadU(d, x + i + v * lanes), hn::Zero(d));
      // A set mask is -1 as an integer.
      zeros = hn::Sub(zeros, hn::BitCast(du, hn::VecFromMask(d, isZero)));
    }
    found += kVectors * lanes - hn::GetLane(hn::SumOfLanes(du, zeros));
  }
  for (; i < n && found <= limit; ++i)
    found += x[i] != 0;
  return found;
}

// True if all `n` elements, a multiple of the vectors' lanes, are zero.
HWY_INLINE bool areZero(const float *x, std::size_t n) {
  const D d;
  const hn::RebindToUnsigned<D> du;
  const std::size_t lanes = hn::Lanes(d);
  auto any = hn::Zero(du);
  for (std::size_t i = 0; i < n; i += lanes)
    any = hn::Or(any, hn::BitCast(du, hn::LoadU(d, x + i)));
  // A NaN or a negative zero has bits, too; the caller then looks closer.
  return hn::AllTrue(du, hn::Eq(any, hn::Zero(du)));
}

// Longer vectors of indices and values, stored where the last ones ended, would
// all cross cache lines.
using NonZeroTag = hn::CappedTag<float, SetLanes::kLanes>;

// The offset and the value of each element of `v`, whose first one is column
// `first`, that is not zero, in order; returns how many there are. Writes whole
// vectors. No branch: whether an element is set is hard to predict.
HWY_INLINE std::size_t appendNonZero(hn::Vec<NonZeroTag> v, std::size_t first,
                                     std::uint32_t step, std::uint32_t *offsets,
                                     float *values) {
  const NonZeroTag d;
  const hn::RebindToUnsigned<NonZeroTag> du;
  const hn::Rebind<std::uint8_t, NonZeroTag> d8;
  const auto isSet = hn::Ne(v, hn::Zero(d));
  std::uint8_t bits[8]; // the first is written
  hn::StoreMaskBits(d, isSet, bits);
  const auto set = hn::PromoteTo(du, hn::LoadU(d8, kSetLanes.of[bits[0]]));
  hn::StoreU(hn::TableLookupLanes(v, hn::IndicesFromVec(d, set)), d, values);
  const auto column =
      hn::Add(set, hn::Set(du, static_cast<std::uint32_t>(first)));
  hn::StoreU(hn::Mul(column, hn::Set(du, step)), du, offsets);
  return hn::CountTrue(d, isSet);
}

std::size_t findNonZero(const float *x, std::size_t rows, std::size_t columns,
                        std::size_t limit, std::uint32_t step,
                        const NonZeroRows &to) {
  constexpr std::size_t kProbe = 512, kBlock = 32;
  const std::size_t n = rows * columns;
  const std::size_t probe = (kProbe + columns - 1) / columns; // rows
  const NonZeroTag d;
  const std::size_t lanes = hn::Lanes(d);
  const FirstLanes<NonZeroTag> last(columns % lanes);
  std::size_t found = 0;
  const auto append = [&](hn::Vec<NonZeroTag> v, std::size_t first) HWY_ATTR {
    found +=
        appendNonZero(v, first, step, to.offsets + found, to.values + found);
  };
  for (std::size_t row = 0; row < rows && found <= limit; ++row, x += columns) {
    std::size_t i = 0;
    for (; i + kBlock <= columns; i += kBlock) {
      // After a pooling of the whole field most blocks have none.
      if (areZero(x + i, kBlock))
        continue;
      for (std::size_t j = i; j < i + kBlock; j += lanes)
        append(hn::LoadU(d, x + j), j);
    }
    for (; i + lanes <= columns; i += lanes)
      append(hn::LoadU(d, x + i), i);
    if (i < columns)
      append(last.load(x + i), i);
    to.ends[row] = static_cast<std::uint32_t>(found);
    // Counting takes little of the time of writing; what begins like an input
    // that is not sparse mostly is one.
    if (row + 1 == probe && found <= limit &&
        found * n > limit * probe * columns) {
      const std::size_t count =
          found + countNonZero(x + columns, n - probe * columns, limit - found);
      if (count > limit)
        return count;
    }
  }
  return found;
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(addSparseProducts);
HWY_EXPORT(findNonZero);

void addSparseProducts(const SparseFactors &factors, const Lines &lines,
                       const float *base, float *sum) {
  HWY_DYNAMIC_DISPATCH(addSparseProducts)(factors, lines, base, sum);
}

std::size_t findNonZero(const float *x, std::size_t rows, std::size_t columns,
                        std::size_t limit, std::uint32_t step,
                        const NonZeroRows &to) {
  return HWY_DYNAMIC_DISPATCH(findNonZero)(x, rows, columns, limit, step, to);
}

} // namespace ipumodel
#endif
