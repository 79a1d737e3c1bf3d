// Summarises part of a tensor's elements, block by block. Fast loops assume
// ordinary numbers; a block whose result shows otherwise is read again: element
// by element if some are NaN or infinite, multiplied by a power of two if their
// squares would leave the range.
#pragma once

#include "codelets/block_scan.hpp"
#include "codelets/bucket_counts.hpp"
#include "codelets/row_merge.hpp"

namespace popscope {

template <typename T, StatsTier tier> class TileSummary {
public:
  // The first of these elements has this index in the tensor.
  void add(const T *x, unsigned n, unsigned firstIndex) {
    // Blocks of nearly equal size, since a short one costs as much to merge,
    // and all but the last in whole chunks.
    const unsigned blocks = (n + kBlock - 1) / kBlock;
    unsigned end = 0;
    for (unsigned b = 0; b < blocks; ++b) {
      const unsigned i = end;
      end = i + ((n - i) / (blocks - b) + kChunk - 1) / kChunk * kChunk;
      end = end < n ? end : n;
      const unsigned count = end - i;
      if (tier == StatsTier::alarm)
        addAlarm(x + i, count, firstIndex + i);
      else
        addBlock(x + i, count, firstIndex + i);
    }
    if (tier == StatsTier::identity)
      addIdentity(x, n, firstIndex);
  }

  // To be called once, after the last add().
  const StatsRow &finish() {
    if (hasExtremes && row_.argMin != kNoIndex)
      row_.argMin += findValue(minBlock_.data, minBlock_.size, row_.min);
    if (hasExtremes && row_.argMax != kNoIndex)
      row_.argMax += findValue(maxBlock_.data, maxBlock_.size, row_.max);
    return row_;
  }

private:
  using Format = ElementFormat<T>;

  static constexpr bool hasExtremes = tier >= StatsTier::stats;
  static constexpr unsigned kBlock = 8192;
  static constexpr unsigned kChunk = ColumnCounts::kChunk;
  // Squares of magnitudes between these neither overflow nor vanish.
  static constexpr float kSmallSafe = 0x1p-55f, kLargeSafe = 0x1p55f;
  // Likewise fourth powers.
  static constexpr float kSmallPlain = 0x1p-24f, kLargePlain = 0x1p24f;

  struct Block {
    const T *data;
    unsigned size;
  };

  void addAlarm(const T *x, unsigned n, unsigned firstIndex) {
    const unsigned largest = largestMagnitude(x, n);
    if (largest >= Format::kInfinity) {
      addExceptional(x, n, firstIndex);
      return;
    }
    if (floatOf(largest) > row_.absMax)
      row_.absMax = floatOf(largest);
    if (largest == Format::kLargest)
      row_.saturated += countMagnitudes(
          x, n, [](unsigned m) { return m == Format::kLargest; });
  }

  void addBlock(const T *x, unsigned n, unsigned firstIndex) {
    // The output of a ReLU, in which no element is negative, takes less time.
    // After the first block for which this does not hold, it is not tried
    // again.
    BlockBits bits;
    BlockSums sums;
    BlockPowers powers = {};
    hasNegative_ = hasNegative_ || beginsNegative(x, n);
    if (!hasNegative_) {
      const BlockScan<Signs::nonNegative, (tier >= StatsTier::shape)> scan(x,
                                                                           n);
      bits = scan.bits;
      sums = scan.sums;
      powers = scan.powers;
      hasNegative_ = bits.hasNegative();
    }
    if (hasNegative_) {
      const BlockScan<Signs::any> scan(x, n);
      bits = scan.bits;
      sums = scan.sums;
    }
    if (bits.largest() >= Format::kInfinity) {
      addExceptional(x, n, firstIndex);
      return;
    }
    const float absMax = floatOf(bits.largest());
    const float scale = scaleFor(bits.largest());
    if (scale != 1.0f)
      sums = sumBlock(x, n, 0.0f, scale);
    StatsRow block = emptyRow(tier);
    block.count = n;
    // Sums about zero would cancel if the mean is far from it.
    const bool isNear = !isFar(sums, n);
    const float shift = isNear ? 0.0f : sums.sum / float(n);
    setMoments(block, n, isNear ? sums : sumBlock(x, n, shift, scale), shift);
    if (tier >= StatsTier::shape && block.deviation > 0.0f) {
      if (!hasNegative_ && isNear && absMax >= kSmallPlain &&
          absMax <= kLargePlain)
        setHigherMoments(block, n, sums, powers);
      else
        setHigherMoments(block, x, n, scale);
    }
    if (scale != 1.0f)
      unscale(block, 1.0f / scale);
    block.absMax = absMax;
    block.min = bits.min();
    block.max = bits.max();
    block.argMin = block.argMax = firstIndex;
    block.zero = bits.zero;
    block.positive = bits.positive;
    if (bits.zero != n)
      block.absMinNonZero = floatOf(bits.lowest + 1);
    // Unsigned: without a non-zero element, `lowest` is the largest number.
    if (bits.lowest < Format::kNormal - 1)
      block.subnormal = countMagnitudes(
          x, n, [](unsigned m) { return m - 1 < Format::kNormal - 1; });
    if (bits.largest() >= Format::kTop)
      block.topBinade =
          countMagnitudes(x, n, [](unsigned m) { return m >= Format::kTop; });
    if (bits.largest() == Format::kLargest)
      block.saturated = countMagnitudes(
          x, n, [](unsigned m) { return m == Format::kLargest; });
    if (tier >= StatsTier::shape && absMax > 0.0f) {
      block.topExponent = bits.largest() >> 23;
      if (block.topExponent >= kOctaves)
        countBuckets(block, x, n, bits.hasNegative());
      else
        countSingly(block, x, n);
    }
    take(block, x, n);
  }

  // The power of two to multiply elements by, so that squares of the largest
  // neither overflow nor vanish; 1 where they do not anyway.
  static float scaleFor(unsigned largest) {
    const float absMax = floatOf(largest);
    if (absMax == 0.0f || (absMax >= kSmallSafe && absMax <= kLargeSafe))
      return 1.0f;
    const unsigned exponent = largest >> 23;
    return floatOf((exponent < 254 ? 254 - exponent : 1) << 23);
  }
  static void unscale(StatsRow &block, float factor) {
    block.mean *= factor;
    block.meanLow *= factor;
    block.meanAbs *= factor;
    block.deviation *= factor;
  }

  static bool isFar(const BlockSums &sums, unsigned n) {
    const float d = sums.sum / float(n);
    return d * d > 4.0f * (sums.squares / float(n) - d * d);
  }

  static void setMoments(StatsRow &block, unsigned n, const BlockSums &sums,
                         float shift) {
    const float count = float(n);
    const float d = sums.sum / count;
    const float variance = sums.squares / count - d * d;
    block.mean = shift;
    addToPair(block.mean, block.meanLow, d);
    block.meanAbs = sums.abs / count;
    block.deviation = variance > 0.0f ? __builtin_sqrtf(variance) : 0.0f;
  }

  // From sums about zero; only if the mean is not far from zero.
  static void setHigherMoments(StatsRow &block, unsigned n,
                               const BlockSums &sums,
                               const BlockPowers &powers) {
    const float count = float(n);
    const float mean = sums.sum / count, squares = sums.squares / count;
    const float cubes = powers.cubes / count, fourths = powers.fourths / count;
    const float variance = squares - mean * mean;
    const float m3 = cubes - mean * (3.0f * squares - 2.0f * mean * mean);
    const float m4 =
        fourths -
        mean * (4.0f * cubes - mean * (6.0f * squares - 3.0f * mean * mean));
    block.skewness = m3 / variance / block.deviation;
    block.kurtosis = m4 / variance / variance;
  }

  static void setHigherMoments(StatsRow &block, const T *x, unsigned n,
                               float scale) {
    const BlockPowers powers =
        sumPowers(x, n, scale, block.mean, block.meanLow, block.deviation);
    block.skewness = powers.cubes / float(n);
    block.kurtosis = powers.fourths / float(n);
  }

  // The block's extremes have its first index until finish() looks for them.
  void take(const StatsRow &block, const T *x, unsigned n) {
    if (hasExtremes && (block.min < row_.min ||
                        (block.min == row_.min && block.argMin < row_.argMin)))
      minBlock_ = {x, n};
    if (hasExtremes && (block.max > row_.max ||
                        (block.max == row_.max && block.argMax < row_.argMax)))
      maxBlock_ = {x, n};
    if (hasExtremes && row_.count == 0)
      copyRow(row_, block, tier);
    else
      mergeRow(row_, block, tier);
  }

  // With NaN or infinities.
  void addExceptional(const T *x, unsigned n, unsigned firstIndex) {
    constexpr unsigned kPiece = 1024; // every merge rounds
    for (unsigned i = 0; i < n; i += kPiece)
      addSingly(x + i, n - i < kPiece ? n - i : kPiece, firstIndex + i);
  }

  // Merges the elements one by one, as rows of one element.
  __attribute__((noinline)) void addSingly(const T *x, unsigned n,
                                           unsigned firstIndex) {
    StatsRow block = emptyRow(tier);
    for (unsigned i = 0; i < n; ++i) {
      const float value = Format::toFloat(x[i]);
      const unsigned magnitude = magnitudeOf(value);
      StatsRow one = emptyRow(tier);
      one.count = 1;
      if (magnitude >= Format::kInfinity) {
        one.nan = magnitude > Format::kInfinity;
        one.posInf = magnitude == Format::kInfinity && value > 0.0f;
        one.negInf = magnitude == Format::kInfinity && value < 0.0f;
        one.firstBad = firstIndex + i;
      } else {
        setOne(one, value, magnitude, firstIndex);
      }
      mergeRow(block, one, tier);
    }
    if (tier >= StatsTier::shape) {
      block.topExponent = bitsOf(block.absMax) >> 23;
      countSingly(block, x, n);
    }
    take(block, x, n);
  }

  // Into buckets below block.topExponent, which may be any.
  static void countSingly(StatsRow &block, const T *x, unsigned n) {
    for (unsigned i = 0; i < n; ++i) {
      const float value = Format::toFloat(x[i]);
      const unsigned magnitude = magnitudeOf(value);
      if (magnitude >= Format::kInfinity || magnitude >> 23 == 0)
        continue;
      const unsigned bucket = bucketOf(magnitude, block.topExponent);
      if (bucket < kBuckets)
        ++block.buckets[value < 0.0f][bucket];
    }
  }

  static void setOne(StatsRow &one, float value, unsigned magnitude,
                     unsigned index) {
    one.saturated = magnitude == Format::kLargest;
    one.absMax = floatOf(magnitude);
    one.zero = magnitude == 0;
    one.positive = value > 0.0f;
    one.subnormal = magnitude != 0 && magnitude < Format::kNormal;
    one.topBinade = magnitude >= Format::kTop;
    one.min = one.max = one.mean = value;
    one.argMin = one.argMax = index;
    if (magnitude != 0)
      one.absMinNonZero = floatOf(magnitude);
    one.meanAbs = floatOf(magnitude);
  }

  __attribute__((noinline)) void addIdentity(const T *x, unsigned n,
                                             unsigned firstIndex) {
    for (unsigned i = 0; i < n; ++i) {
      const float value = Format::toFloat(x[i]);
      const unsigned w = mix(firstIndex + i);
      const unsigned bits = Format::bits(x[i]);
      row_.hash[0] += mix(w ^ bits);
      row_.hash[1] += mix(w + 0x9e3779b9u + bits * 0x85ebca6bu);
      if (magnitudeOf(value) < Format::kInfinity)
        row_.sketch[(w >> 1) % kSketchBuckets] += w & 1 ? value : -value;
    }
  }

  StatsRow row_ = emptyRow(tier);
  bool hasNegative_ = false; // a block that was scanned
  Block minBlock_ = {nullptr, 0};
  Block maxBlock_ = {nullptr, 0};
};

} // namespace popscope
