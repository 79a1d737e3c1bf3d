#include "outfeed/tensor_sample.hpp"

#include "codelets/element_format.hpp"
#include "codelets/row_merge.hpp"
#include "summary/statistics/half_float.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace popscope::outfeed {

namespace {

std::uint64_t indexOf(unsigned index) {
  return index == kNoIndex ? summary::TensorStats::kNoIndex : index;
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

void readOctaves(TensorSample &sample, const StatsRow &row) {
  sample.stats.exponents[0] = row.zero;
  std::uint64_t placed = row.zero;
  for (unsigned k = 0; k < kOctaves && k < row.topExponent; ++k) {
    const unsigned exponent = row.topExponent - k;
    sample.stats.exponents[exponent] = row.octaves[0][k] + row.octaves[1][k];
    sample.negativeExponents[exponent] = row.octaves[1][k];
    placed += sample.stats.exponents[exponent];
  }
  // What lies below the window is nearer to zero than anything in it.
  sample.stats.exponents[0] += sample.stats.finite() - placed;
}

// Counts of negative elements by exponent; zeros and subnormals are left out.
template <class T, class ToFloat>
void countNegatives(TensorSample &sample, summary::Span<const T> values,
                    ToFloat toFloat) {
  for (const T value : values) {
    const std::uint32_t bits = bitsOf(toFloat(value));
    const std::uint32_t exponent = bits >> 23 & 0xff;
    if (bits >> 31 && exponent != 0 && exponent != 0xff)
      ++sample.negativeExponents[exponent];
  }
}

} // namespace

void TensorSample::merge(const TensorSample &other) {
  payload = std::min(payload, other.payload);
  parts += other.parts;
  stats.merge(other.stats);
  for (std::size_t i = 0; i < negativeExponents.size(); ++i)
    negativeExponents[i] += other.negativeExponents[i];
  for (std::size_t i = 0; i < hash.size(); ++i)
    hash[i] += other.hash[i];
  for (std::size_t i = 0; i < sketch.size(); ++i)
    sketch[i] += other.sketch[i];
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
    readOctaves(sample, row);
  if (payload >= Payload::identity) {
    std::copy(std::begin(row.hash), std::end(row.hash), sample.hash.begin());
    std::copy(std::begin(row.sketch), std::end(row.sketch),
              sample.sketch.begin());
  }
  return sample;
}

TensorSample sampleOfFloats(summary::Span<const float> values) {
  TensorSample sample;
  sample.payload = Payload::full;
  sample.stats.add(values);
  countNegatives(sample, values, [](float value) { return value; });
  return sample;
}

TensorSample sampleOfHalves(summary::Span<const std::uint16_t> values) {
  TensorSample sample;
  sample.payload = Payload::full;
  sample.stats.format = summary::FloatFormat::float16;
  sample.stats.addHalf(values);
  countNegatives(sample, values, summary::floatOfHalf);
  return sample;
}

summary::Histogram octaveHistogram(const TensorSample &sample) {
  const summary::TensorStats &stats = sample.stats;
  summary::Histogram histogram;
  histogram.nan = stats.nan;
  histogram.posInf = stats.posInf;
  histogram.negInf = stats.negInf;
  std::size_t first = 1, last = stats.exponents.size() - 1;
  while (first <= last && stats.exponents[first] == 0)
    ++first;
  while (last > first && stats.exponents[last] == 0)
    --last;
  if (first > last) { // zeros at most
    histogram.buckets.push_back({0, 0, double(stats.finite())});
    return histogram;
  }
  // 2^(exponent - 127), exactly; much faster than std::ldexp.
  const auto edge = [](std::uint64_t exponent) {
    const std::uint64_t bits = (exponent - 127 + 1023) << 52;
    double power;
    std::memcpy(&power, &bits, sizeof power);
    return power;
  };
  histogram.buckets.reserve(2 * (last - first + 1) + 1);
  const auto add = [&](double left, double right, double count) {
    left = std::max(left, stats.min);
    right = std::min(right, stats.max);
    if (right > left || count != 0)
      histogram.buckets.push_back({left, std::max(left, right), count});
  };
  for (std::size_t e = last; e >= first; --e)
    add(-edge(e + 1), -edge(e), double(sample.negativeExponents[e]));
  add(-edge(first), edge(first), double(stats.exponents[0]));
  for (std::size_t e = first; e <= last; ++e)
    add(edge(e), edge(e + 1),
        double(stats.exponents[e] - sample.negativeExponents[e]));
  return histogram;
}

} // namespace popscope::outfeed
