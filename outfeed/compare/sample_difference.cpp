#include "outfeed/compare/sample_difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace popscope::outfeed {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// By how much both have to be multiplied to have the same number of parts.
struct Factors {
  std::uint64_t a, b;
};

Factors factorsOf(const SampleDigest &a, const SampleDigest &b) {
  const std::uint64_t common = std::gcd(a.parts, b.parts);
  return {b.parts / common, a.parts / common};
}

bool hasSameBadCounts(const SampleDigest &a, const SampleDigest &b,
                      const Factors &by) {
  return a.nan * by.a == b.nan * by.b && a.posInf * by.a == b.posInf * by.b &&
         a.negInf * by.a == b.negInf * by.b;
}

bool hasSameHash(const SampleDigest &a, const SampleDigest &b,
                 const Factors &by) {
  for (std::size_t i = 0; i < a.hash.size(); ++i)
    if (a.hash[i] * std::uint32_t(by.a) != b.hash[i] * std::uint32_t(by.b))
      return false;
  return true;
}

double rmsOf(const SampleDigest &digest) {
  return std::hypot(digest.mean, digest.deviation);
}

double ratio(double difference, double norm) {
  if (difference == 0)
    return 0;
  return norm == 0 ? kInfinity : difference / norm;
}

// How far mean and deviation are apart, in units of the root mean square of A.
// Their last bits depend on the order of summing, and so on payload and tiles.
double momentsApart(const SampleDigest &a, const SampleDigest &b) {
  constexpr double kRounding = 1e-6;
  const double apart =
      ratio(std::hypot(a.mean - b.mean, a.deviation - b.deviation), rmsOf(a));
  return apart <= kRounding ? 0 : apart - kRounding;
}

bool hasSameStatistics(const SampleDigest &a, const SampleDigest &b,
                       const Factors &by) {
  if (a.absMax != b.absMax)
    return false;
  return std::min(a.payload, b.payload) == Payload::alarm ||
         (a.zero * by.a == b.zero * by.b && a.min == b.min && a.max == b.max &&
          momentsApart(a, b) == 0);
}

std::uint64_t finiteOf(const SampleDigest &digest) {
  return digest.count - digest.nan - digest.posInf - digest.negInf;
}

SampleDigest unscaled(SampleDigest digest) {
  for (double *value : {&digest.absMax, &digest.min, &digest.max, &digest.mean,
                        &digest.deviation})
    *value /= digest.scale;
  for (float &sum : digest.sketch)
    sum = float(double(sum) / digest.scale);
  digest.scale = 1;
  return digest;
}

// Of the average over the parts.
double at(const SampleDigest &digest, std::size_t bucket) {
  return double(digest.sketch[bucket]) / double(digest.parts);
}

// Norms of single parts are known exactly, those of averages are not. The
// cosine follows from |A|, |B| and |A - B|, or |A + B| if it is negative: near
// 1 this is far better than the product of the sketches.
void estimate(SampleDifference &difference, const SampleDigest &a,
              const SampleDigest &b) {
  double aa = 0, bb = 0, ab = 0, minus = 0, plus = 0;
  for (std::size_t i = 0; i < kSketchBuckets; ++i) {
    const double x = at(a, i), y = at(b, i);
    aa += x * x;
    bb += y * y;
    ab += x * y;
    minus += (x - y) * (x - y);
    plus += (x + y) * (x + y);
  }
  double normA = std::sqrt(aa), normB = std::sqrt(bb);
  if (a.parts == 1 && b.parts == 1) {
    normA = rmsOf(a) * std::sqrt(double(finiteOf(a)));
    normB = rmsOf(b) * std::sqrt(double(finiteOf(b)));
  }
  difference.relativeL2 = ratio(std::sqrt(minus), normA);
  if (normA == 0 || normB == 0)
    return;
  const double apart = (normA - normB) * (normA - normB);
  const double gap =
      std::max(0.0, (ab < 0 ? plus : minus) - apart) / (2 * normA * normB);
  const double magnitude = std::max(0.0, 1 - gap);
  difference.cosine = ab < 0 ? -magnitude : magnitude;
}

// |A - B|^2 is at least n times the squared differences of mean and deviation,
// and |A - B| at least the difference of any extreme.
double lowerBound(const SampleDigest &a, const SampleDigest &b) {
  const double root = std::sqrt(double(finiteOf(a)));
  const bool areAligned = a.parts == b.parts;
  const double ofAbsMax = areAligned ? std::abs(a.absMax - b.absMax) : 0;
  if (std::min(a.payload, b.payload) == Payload::alarm)
    return ratio(ofAbsMax, a.absMax * root);
  const double rms = rmsOf(a);
  const double ofMoments = momentsApart(a, b);
  if (!areAligned)
    return ofMoments;
  const double ofExtremes =
      std::max({ofAbsMax, std::abs(a.min - b.min), std::abs(a.max - b.max)});
  return std::max(ofMoments, ratio(ofExtremes, rms * root));
}

SampleDifference compareUnscaled(const SampleDigest &a, const SampleDigest &b,
                                 bool hasComparableBits) {
  const bool hasIdentity = std::min(a.payload, b.payload) == Payload::identity;
  const Factors by = factorsOf(a, b);
  SampleDifference difference;
  difference.evidence = !hasIdentity        ? Evidence::statistics
                        : hasComparableBits ? Evidence::bits
                                            : Evidence::sketch;
  if (!hasSameBadCounts(a, b, by)) {
    difference.isSame = false;
    difference.relativeL2 = kInfinity;
    return difference;
  }
  difference.isSame = difference.evidence == Evidence::bits
                          ? hasSameHash(a, b, by)
                          : hasSameStatistics(a, b, by);
  if (difference.isProvenSame())
    difference.cosine = 1;
  else if (hasIdentity)
    estimate(difference, a, b);
  else if (!difference.isSame)
    difference.relativeL2 = lowerBound(a, b);
  if (difference.evidence == Evidence::sketch)
    difference.isSame = difference.isSame && difference.relativeL2 == 0;
  return difference;
}

} // namespace

SampleDifference compare(const SampleDigest &a, const SampleDigest &b) {
  const bool hasSameScale = a.scale == b.scale;
  return hasSameScale ? compareUnscaled(a, b, a.format == b.format)
                      : compareUnscaled(unscaled(a), unscaled(b), false);
}

} // namespace popscope::outfeed
