#include "poprand/distributions.hpp"

// The lanes of a vector must divide a group.
#define HWY_DISABLED_TARGETS                                                   \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "poprand/distributions.cpp"
// foreach_target.h must come first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ipumodel {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
constexpr std::size_t kBlocks = kGroup / 4; // of a group
using Words = hn::CappedTag<std::uint32_t, kBlocks>;
using Ints = hn::RebindToSigned<Words>;
using Floats = hn::RebindToFloat<Words>;
using W = hn::Vec<Words>;
using V = hn::Vec<Floats>;

HWY_INLINE V set(float value) { return hn::Set(Floats(), value); }

// No fused multiply-add: not every instruction set has one, and it rounds
// differently.
HWY_INLINE V productPlus(V a, V b, V c) { return hn::Add(hn::Mul(a, b), c); }

template <std::size_t N>
HWY_INLINE V polynomial(V x, const float (&coefficients)[N]) {
  V result = set(coefficients[N - 1]);
  for (std::size_t i = N - 1; i-- > 0;)
    result = productPlus(result, x, set(coefficients[i]));
  return result;
}

#if HWY_TARGET == HWY_SCALAR

void drawWords(const RandomStream &stream, std::uint64_t firstGroup,
               std::size_t numGroups, std::uint32_t *words) {
  for (std::size_t group = 0; group < numGroups; ++group)
    for (std::size_t i = 0; i < kBlocks; ++i) {
      const auto block = philox(stream, (firstGroup + group) * kBlocks + i);
      for (std::size_t word = 0; word < block.size(); ++word)
        words[group * kGroup + word * kBlocks + i] = block[word];
    }
}

// The upper halves of the products.
HWY_INLINE W multiplyHigh(W words, std::uint32_t factor) {
  return W(static_cast<std::uint32_t>(std::uint64_t(words.raw) * factor >> 32));
}

#else

using Longs = hn::Repartition<std::uint64_t, Words>;
using L = hn::Vec<Longs>;

HWY_INLINE L multiplyLow(L a, L b) {
  return hn::MulEven(hn::BitCast(Words(), a), hn::BitCast(Words(), b));
}

// One block of the generator per 64-bit lane, each of its words in the lower
// half of a lane; the upper halves are undefined.
struct Blocks {
  L words[4];
  HWY_INLINE void advance(L key0, L key1) {
    const Longs d;
    const L p = multiplyLow(hn::Set(d, kPhiloxFactors[0]), words[0]);
    const L q = multiplyLow(hn::Set(d, kPhiloxFactors[1]), words[2]);
    words[0] = hn::Xor(hn::Xor(hn::ShiftRight<32>(q), words[1]), key0);
    words[2] = hn::Xor(hn::Xor(hn::ShiftRight<32>(p), words[3]), key1);
    words[1] = q;
    words[3] = p;
  }
};

void drawWords(const RandomStream &stream, std::uint64_t firstGroup,
               std::size_t numGroups, std::uint32_t *words) {
  const Words d;
  const Longs d64;
  const std::size_t lanes = hn::Lanes(d);
  const L twice = hn::Add(hn::Iota(d64, 0), hn::Iota(d64, 0));
  const L lower = hn::Set(d64, 0xffffffff);
  std::uint64_t block = firstGroup * kBlocks;
  for (std::size_t group = 0; group < numGroups; ++group)
    for (std::size_t at = 0; at < kBlocks; at += lanes, block += lanes) {
      const L first = hn::Add(hn::Set(d64, block), twice);
      const L second = hn::Add(first, hn::Set(d64, 1));
      const L nonce0 = hn::Set(d64, stream.nonce[0]);
      const L nonce1 = hn::Set(d64, stream.nonce[1]);
      Blocks even{{first, hn::ShiftRight<32>(first), nonce0, nonce1}};
      Blocks odd{{second, hn::ShiftRight<32>(second), nonce0, nonce1}};
      std::uint32_t key0 = stream.key[0], key1 = stream.key[1];
      for (int round = 0; round < kPhiloxRounds; ++round) {
        even.advance(hn::Set(d64, key0), hn::Set(d64, key1));
        odd.advance(hn::Set(d64, key0), hn::Set(d64, key1));
        key0 += kPhiloxKeySteps[0];
        key1 += kPhiloxKeySteps[1];
      }
      for (std::size_t word = 0; word < 4; ++word)
        hn::StoreU(hn::BitCast(d, hn::Or(hn::And(even.words[word], lower),
                                         hn::ShiftLeft<32>(odd.words[word]))),
                   d, words + group * kGroup + word * kBlocks + at);
    }
}

HWY_INLINE W multiplyHigh(W words, std::uint32_t factor) {
  const Longs d;
  const L factors = hn::Set(d, factor);
  const L both = hn::BitCast(d, words);
  const L even = hn::ShiftRight<32>(multiplyLow(both, factors));
  const L odd = hn::And(multiplyLow(hn::ShiftRight<32>(both), factors),
                        hn::Set(d, 0xffffffff00000000));
  return hn::BitCast(Words(), hn::Or(even, odd));
}

#endif

// Calls f(words) for each vector of a whole number of groups.
template <class F>
HWY_INLINE void forVectors(const std::uint32_t *words, std::size_t count,
                           void *out, F f) {
  const Words d;
  auto *to = static_cast<std::uint32_t *>(out);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d))
    hn::StoreU(hn::BitCast(d, f(hn::LoadU(d, words + i))), d, to + i);
}

// The upper 31 bits as a number in [0, 1].
HWY_INLINE V unitOf(W words) {
  const V number =
      hn::ConvertTo(Floats(), hn::BitCast(Ints(), hn::ShiftRight<1>(words)));
  return hn::Mul(number, set(0x1p-31f));
}

// Weights the ends, because their difference could overflow.
HWY_INLINE V between(V low, V high, V unit) {
  const V sum = productPlus(hn::Sub(set(1), unit), low, hn::Mul(unit, high));
  return hn::Min(hn::Max(sum, low), high);
}

// For positive normal numbers.
HWY_INLINE V logOf(V x) {
  constexpr std::int32_t kRootHalf = 0x3f3504f3; // bits of sqrt(1/2)
  // 2 atanh(s) / s by its series in s^2, where |s| < 0.172.
  constexpr float kSeries[] = {2, 2.0f / 3, 2.0f / 5, 2.0f / 7, 2.0f / 9};
  const Ints ints;
  const auto bits = hn::BitCast(ints, x);
  const auto exponent =
      hn::ShiftRight<23>(hn::Sub(bits, hn::Set(ints, kRootHalf)));
  const V mantissa =
      hn::BitCast(Floats(), hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
  const V s = hn::Div(hn::Sub(mantissa, set(1)), hn::Add(mantissa, set(1)));
  const V logMantissa = hn::Mul(s, polynomial(hn::Mul(s, s), kSeries));
  return productPlus(hn::ConvertTo(Floats(), exponent), set(0.69314718f),
                     logMantissa);
}

// For numbers between 0 and the logarithm of the largest float.
HWY_INLINE V expOf(V x) {
  constexpr float kSeries[] = {1,         1,          1.0f / 2,   1.0f / 6,
                               1.0f / 24, 1.0f / 120, 1.0f / 720, 1.0f / 5040};
  // ln 2 in two parts: products of the first with exponents are exact.
  constexpr float kLn2High = 0.693145752f, kLn2Low = 1.42860677e-06f;
  const Ints ints;
  const V power = hn::Round(hn::Mul(x, set(1.44269504f)));
  V rest = hn::Sub(x, hn::Mul(power, set(kLn2High)));
  rest = hn::Sub(rest, hn::Mul(power, set(kLn2Low)));
  // Half of 2^power, which itself may be too large.
  const auto scale = hn::ShiftLeft<23>(
      hn::Add(hn::ConvertTo(ints, power), hn::Set(ints, 126)));
  const V half =
      hn::Mul(polynomial(rest, kSeries), hn::BitCast(Floats(), scale));
  return hn::Add(half, half);
}

// The number that a normal one exceeds with probability p, 2^-33 <= p <= 1/2. z
// / (1 - 2p) is a smooth function of -ln(4p(1 - p)), and for small p of its
// root; approximated with a relative error of 2e-7.
HWY_INLINE V upperQuantile(V p) {
  constexpr float kSplit = 6.25f;
  constexpr float kNearCentre = 3, kFarCentre = 3.5f;
  constexpr float kNear[] = {2.2960353f,      0.341717011f,    -0.00811583815f,
                             -0.00118263119f, 0.000276606664f, -1.79229725e-05f,
                             -2.6973994e-06f, 6.24332815e-07f, -4.29294345e-09f,
                             -7.15579409e-09f};
  constexpr float kFar[] = {4.71708843f,     1.42463182f,     0.0046549531f,
                            -0.00288792478f, 0.0014462707f,   -0.00103709783f,
                            0.00077807409f,  -0.000264165343f};
  const V fours = hn::Mul(hn::Mul(set(4), p), hn::Sub(set(1), p));
  const V t = hn::Max(hn::Neg(logOf(fours)), set(0));
  const V near = polynomial(hn::Sub(t, set(kNearCentre)), kNear);
  const V far = polynomial(hn::Sub(hn::Sqrt(t), set(kFarCentre)), kFar);
  return hn::Mul(hn::Sub(set(1), hn::Add(p, p)),
                 hn::IfThenElse(hn::Lt(t, set(kSplit)), near, far));
}

// A standard normal number, or one truncated where its tails have probability
// `tail`: the lowest bit is its sign, the others determine its distance from 0.
HWY_INLINE V normalOf(W words, float tail) {
  const V number =
      hn::ConvertTo(Floats(), hn::BitCast(Ints(), hn::ShiftRight<1>(words)));
  // In (0, 1/2]: the middle of one of 2^31 equal parts of [0, 1/2].
  const V p = productPlus(number, set(0x1p-32f), set(0x1p-33f));
  const V magnitude = upperQuantile(
      hn::Min(productPlus(p, set(1 - 2 * tail), set(tail)), set(0.5f)));
  return hn::Xor(magnitude, hn::BitCast(Floats(), hn::ShiftLeft<31>(words)));
}

void uniform(const Uniform &u, const std::uint32_t *words, std::size_t count,
             void *out) {
  const V low = set(u.low), high = set(u.high);
  forVectors(words, count, out,
             [&](W x) HWY_ATTR { return between(low, high, unitOf(x)); });
}

// The bias is at most count / 2^32.
void uniformInt(const UniformInt &u, const std::uint32_t *words,
                std::size_t count, void *out) {
  const W low = hn::Set(Words(), static_cast<std::uint32_t>(u.low));
  forVectors(words, count, out, [&](W x) HWY_ATTR {
    return hn::Add(low, u.count == 0 ? x : multiplyHigh(x, u.count));
  });
}

void logUniform(const LogUniform &u, const std::uint32_t *words,
                std::size_t count, void *out) {
  const Words d;
  const V logLow = set(u.logLow), logHigh = set(u.logHigh);
  const V low = set(u.low), high = set(u.high);
  forVectors(words, count, out, [&](W x) HWY_ATTR {
    const V number = expOf(between(logLow, logHigh, unitOf(x)));
    const V inside = hn::Min(hn::Max(number, low), high);
    return u.truncates ? hn::BitCast(d, hn::ConvertTo(Ints(), inside))
                       : hn::BitCast(d, inside);
  });
}

// Sets all bits where the upper half of the word is below the threshold.
HWY_INLINE W chosen(W words, std::uint32_t threshold) {
  const Ints ints;
  const auto upper = hn::BitCast(ints, hn::ShiftRight<16>(words));
  return hn::BitCast(
      Words(),
      hn::VecFromMask(
          ints,
          hn::Lt(upper, hn::Set(ints, static_cast<std::int32_t>(threshold)))));
}

void bernoulli(const Bernoulli &b, const std::uint32_t *words,
               std::size_t count, void *out) {
  const W one = hn::Set(Words(), b.one);
  forVectors(words, count, out, [&](W x) HWY_ATTR {
    return hn::And(chosen(x, b.threshold), one);
  });
}

void normal(const Normal &n, const std::uint32_t *words, std::size_t count,
            void *out) {
  const V mean = set(n.mean), stdDev = set(n.stdDev);
  forVectors(words, count, out, [&](W x) HWY_ATTR {
    return productPlus(normalOf(x, 0), stdDev, mean);
  });
}

void truncatedNormal(const TruncatedNormal &n, const std::uint32_t *words,
                     std::size_t count, void *out) {
  const V mean = set(n.mean), stdDev = set(n.stdDev);
  const V alpha = set(n.alpha);
  forVectors(words, count, out, [&](W x) HWY_ATTR {
    const V z = hn::Max(hn::Min(normalOf(x, n.tail), alpha), hn::Neg(alpha));
    return productPlus(z, stdDev, mean);
  });
}

void dropout(const Dropout &dropout, const std::uint32_t *words,
             const float *in, std::size_t count, float *out) {
  const Words d;
  const Floats floats;
  const std::size_t lanes = hn::Lanes(d);
  const V scale = set(dropout.scale);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V kept =
        hn::BitCast(floats, chosen(hn::LoadU(d, words + i), dropout.threshold));
    const V scaled = hn::Mul(hn::LoadU(floats, in + i), scale);
    hn::StoreU(hn::And(kept, scaled), floats, out + i);
  }
  for (; i < count; ++i)
    out[i] = words[i] >> 16 < dropout.threshold ? in[i] * dropout.scale : 0;
}

} // namespace HWY_NAMESPACE
} // namespace ipumodel
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ipumodel {

HWY_EXPORT(drawWords);
HWY_EXPORT(uniform);
HWY_EXPORT(uniformInt);
HWY_EXPORT(logUniform);
HWY_EXPORT(bernoulli);
HWY_EXPORT(normal);
HWY_EXPORT(truncatedNormal);
HWY_EXPORT(dropout);

void drawWords(const RandomStream &stream, std::uint64_t firstGroup,
               std::size_t numGroups, std::uint32_t *words) {
  HWY_DYNAMIC_DISPATCH(drawWords)(stream, firstGroup, numGroups, words);
}

void Uniform::operator()(const std::uint32_t *words, std::size_t count,
                         void *out) const {
  HWY_DYNAMIC_DISPATCH(uniform)(*this, words, count, out);
}

void UniformInt::operator()(const std::uint32_t *words, std::size_t n,
                            void *out) const {
  HWY_DYNAMIC_DISPATCH(uniformInt)(*this, words, n, out);
}

void LogUniform::operator()(const std::uint32_t *words, std::size_t count,
                            void *out) const {
  HWY_DYNAMIC_DISPATCH(logUniform)(*this, words, count, out);
}

void Bernoulli::operator()(const std::uint32_t *words, std::size_t count,
                           void *out) const {
  HWY_DYNAMIC_DISPATCH(bernoulli)(*this, words, count, out);
}

void Normal::operator()(const std::uint32_t *words, std::size_t count,
                        void *out) const {
  HWY_DYNAMIC_DISPATCH(normal)(*this, words, count, out);
}

void TruncatedNormal::operator()(const std::uint32_t *words, std::size_t count,
                                 void *out) const {
  HWY_DYNAMIC_DISPATCH(truncatedNormal)(*this, words, count, out);
}

void Dropout::operator()(const std::uint32_t *words, const float *in,
                         std::size_t count, float *out) const {
  HWY_DYNAMIC_DISPATCH(dropout)(*this, words, in, count, out);
}

} // namespace ipumodel
#endif
