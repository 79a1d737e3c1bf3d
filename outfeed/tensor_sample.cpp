#include "outfeed/tensor_sample.hpp"

#include "codelets/float_bits.hpp"
#include "codelets/row_merge.hpp"
#include "summary/statistics/half_float.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

namespace popscope::outfeed {

namespace {

std::uint64_t indexOf(unsigned index) {
  return index == kNoIndex ? summary::TensorStats::kNoIndex : index;
}

// Of a finite, normal float32, given as its bits, or of 2^128.
double doubleOf(std::uint64_t bits) {
  bits = (bits << 29) + (std::uint64_t(1023 - 127) << 52);
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void readMoments(summary::TensorStats &stats, const StatsRow &row) {
  const double n = double(stats.finite());
  const double deviation = double(row.deviation);
  stats.mean = double(row.mean) + double(row.meanLow);
  stats.m2 = n * deviation * deviation;
  stats.m3 = stats.m2 * deviation * double(row.skewness);
  stats.m4 = stats.m2 * deviation * deviation * double(row.kurtosis);
  stats.sumAbs = n * double(row.meanAbs);
  stats.sumSquares = stats.m2 + n * stats.mean * stats.mean;
}

void readBuckets(TensorSample &sample, const StatsRow &row) {
  sample.topExponent = row.topExponent;
  for (unsigned sign = 0; sign < 2; ++sign)
    std::copy(std::begin(row.buckets[sign]), std::end(row.buckets[sign]),
              sample.buckets[sign]);
  std::uint64_t placed = 0;
  const unsigned octaves = std::min(kOctaves, row.topExponent);
  for (unsigned octave = 0; octave < octaves; ++octave) {
    std::uint64_t count = 0;
    for (unsigned b = firstBucket(octave); b < firstBucket(octave + 1); ++b)
      count += sample.buckets[0][b] + sample.buckets[1][b];
    sample.stats.exponents[row.topExponent - octave] = count;
    placed += count;
  }
  // What lies below the buckets is nearer to zero than anything in them.
  sample.stats.exponents[0] = sample.stats.finite() - placed;
}

// Counts of finite elements by sign, exponent and the two bits that tell the
// buckets of an octave apart.
class KeyCounts {
public:
  void add(float value) { ++counts_[bitsOf(value) >> kShift]; }

  // Into the buckets below the exponent of `absMax`.
  void fill(TensorSample &sample, float absMax) const {
    const unsigned top = bitsOf(absMax) >> 23;
    sample.topExponent = top;
    for (unsigned sign = 0; sign < 2; ++sign)
      for (unsigned magnitude = 4; magnitude < (top + 1) * 4; ++magnitude) {
        const unsigned count = counts_[sign * kMagnitudes + magnitude];
        const unsigned bucket = bucketOf(magnitude << kShift, top);
        if (bucket < kBuckets)
          sample.buckets[sign][bucket] += count;
      }
  }

private:
  static constexpr unsigned kShift = 23 - 2;
  static constexpr unsigned kMagnitudes = 256 * 4; // the first 4 are subnormal

  std::array<std::uint32_t, 2 * kMagnitudes> counts_{};
};

template <class T, class ToFloat>
void fillBuckets(TensorSample &sample, summary::Span<const T> values,
                 ToFloat toFloat) {
  KeyCounts counts;
  for (const T value : values)
    counts.add(toFloat(value));
  counts.fill(sample, float(sample.stats.absMax));
}

} // namespace

void TensorSample::merge(const TensorSample &other) {
  payload = std::min(payload, other.payload);
  parts += other.parts;
  stats.merge(other.stats);
  mergeBuckets(topExponent, buckets, other.topExponent, other.buckets);
  if (other.payload >= Payload::identity) { // else they are 0
    for (std::size_t i = 0; i < hash.size(); ++i)
      hash[i] += other.hash[i];
    for (std::size_t i = 0; i < sketch.size(); ++i)
      sketch[i] += other.sketch[i];
  }
}

TensorSample sampleOfRow(const unsigned *words, Payload payload,
                         std::uint64_t count, summary::FloatFormat format) {
  const StatsRow row = loadRow(words, tierOf(payload));
  TensorSample sample;
  sample.payload = payload;
  summary::TensorStats &stats = sample.stats;
  stats.format = format;
  stats.count = count;
  stats.nan = row.nan;
  stats.posInf = row.posInf;
  stats.negInf = row.negInf;
  stats.saturated = row.saturated;
  stats.absMax = double(row.absMax);
  stats.firstBad = indexOf(row.firstBad);
  if (payload >= Payload::stats) {
    stats.zero = row.zero;
    stats.positive = row.positive;
    stats.negative = stats.finite() - row.zero - row.positive;
    stats.subnormal = row.subnormal;
    stats.topBinade = row.topBinade;
    stats.min = double(row.min);
    stats.max = double(row.max);
    stats.argMin = indexOf(row.argMin);
    stats.argMax = indexOf(row.argMax);
    stats.absMinNonZero = double(row.absMinNonZero);
    readMoments(stats, row);
  }
  if (payload >= Payload::shape)
    readBuckets(sample, row);
  if (payload >= Payload::identity) {
    std::copy(std::begin(row.hash), std::end(row.hash), sample.hash.begin());
    std::copy(std::begin(row.sketch), std::end(row.sketch),
              sample.sketch.begin());
  }
  return sample;
}

TensorSample sampleOfFloats(summary::Span<const float> values) {
  // Sums begin anew at certain addresses, so that their last bits depend on
  // where the elements are, unless that is the beginning of a cache line.
  constexpr std::size_t kLine = 64;
  if (reinterpret_cast<std::uintptr_t>(values.data()) % kLine != 0) {
    std::vector<float> room(values.size() + kLine / sizeof(float));
    void *aligned = room.data();
    std::size_t space = room.size() * sizeof(float);
    std::align(kLine, values.size() * sizeof(float), aligned, space);
    auto *const copy = static_cast<float *>(aligned);
    std::copy(values.begin(), values.end(), copy);
    return sampleOfFloats({copy, values.size()});
  }
  TensorSample sample;
  sample.payload = Payload::full;
  sample.stats.add(values);
  fillBuckets(sample, values, [](float value) { return value; });
  return sample;
}

TensorSample sampleOfHalves(summary::Span<const std::uint16_t> values) {
  TensorSample sample;
  sample.payload = Payload::full;
  sample.stats.format = summary::FloatFormat::float16;
  sample.stats.addHalf(values);
  fillBuckets(sample, values, summary::floatOfHalf);
  return sample;
}

summary::Histogram histogramOf(const TensorSample &sample) {
  const summary::TensorStats &stats = sample.stats;
  summary::Histogram histogram;
  auto &buckets = histogram.buckets;
  std::uint64_t smallPositive = stats.positive, smallNegative = stats.negative;
  for (unsigned b = 0; b < kBuckets; ++b) {
    smallPositive -= sample.buckets[0][b];
    smallNegative -= sample.buckets[1][b];
  }
  const unsigned top = sample.topExponent;
  if (top == 0) { // zeros and subnormal floats
    buckets.push_back({stats.min, stats.max, double(stats.finite())});
    return histogram;
  }
  // Empty ones, too, so that what is small does not spread over their room.
  const unsigned used = firstBucket(std::min(kOctaves, top));
  buckets.reserve(2 * used + 3);
  const auto add = [&](double left, double right, std::uint64_t count) {
    left = std::max(left, stats.min);
    right = std::min(right, stats.max);
    if (count == 0 && right <= left)
      return;
    if (count == 0 && !buckets.empty() && buckets.back().count == 0)
      buckets.back().right = right;
    else
      buckets.push_back({left, std::max(left, right), double(count)});
  };
  const auto begin = [top](unsigned b) {
    return doubleOf(bucketBegin(b, top));
  };
  const auto end = [top, begin](unsigned b) {
    return b == 0 ? doubleOf((top + 1) << 23) : begin(b - 1);
  };
  for (unsigned b = 0; b < used; ++b)
    add(-end(b), -begin(b), sample.buckets[1][b]);
  constexpr double kAboveZero = 0x1p-149; // the smallest float
  add(-begin(used - 1), 0, smallNegative);
  add(0, kAboveZero, stats.zero);
  add(kAboveZero, begin(used - 1), smallPositive);
  for (unsigned b = used; b-- > 0;)
    add(begin(b), end(b), sample.buckets[0][b]);
  return histogram;
}

} // namespace popscope::outfeed
