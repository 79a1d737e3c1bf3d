#include "poplar/values/half.hpp"
#include "poprand/distributions.hpp"
#include "poprand/random_ops.hpp"

#include <popops/ElementWise.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace poprand {

namespace {

using namespace ipumodel;
using namespace poplar;
using poplar::program::Sequence;
using poputil::poplibs_error;

void checkSeed(const Tensor &seed) {
  if (seed.elementType() != UNSIGNED_INT || seed.rank() != 1 ||
      seed.dim(0) != 2)
    throw poplibs_error("A seed has two elements of type unsigned int, not " +
                        seed.shapeToString() + " of type " +
                        seed.elementType().toString());
}

void checkType(const char *function, const Type &type,
               std::initializer_list<Type> types) {
  if (std::find(types.begin(), types.end(), type) == types.end())
    throw poplibs_error(std::string(function) + " is not defined for " +
                        type.toString());
}

// In units of 1 / 65536, because 16 bits of a word are compared with it.
constexpr std::uint32_t kCertain = 65536;
std::uint32_t thresholdOf(const char *function, double probability) {
  if (!(probability >= 0 && probability <= 1))
    throw poplibs_error(std::string(function) + ": a probability of " +
                        std::to_string(probability));
  return static_cast<std::uint32_t>(probability * kCertain);
}

// The half next to a finite one.
std::uint16_t nextHalf(std::uint16_t half, int step) {
  const int magnitude = half & 0x7fff;
  const int order = (half & 0x8000 ? -magnitude : magnitude) + step;
  return static_cast<std::uint16_t>(order < 0 ? 0x8000 | -order : order);
}

// The value of the type closest to x that is >= x for step 1, <= x for step -1.
float roundToward(const Type &type, double x, int step) {
  if (type == HALF) {
    const std::uint16_t half = ipumodel::doubleToHalf(x);
    const float value = ipumodel::halfToFloat(half);
    return (x - value) * step > 0 ? ipumodel::halfToFloat(nextHalf(half, step))
                                  : value;
  }
  const float value = static_cast<float>(x);
  return (x - value) * step > 0
             ? std::nextafter(value, step * std::numeric_limits<float>::max())
             : value;
}

struct Range {
  double low, high;
};

// The largest range of values of the type within the given one.
Range rangeOf(const char *function, const Type &type, double low, double high) {
  const Range range = type == INT ? Range{std::ceil(low), std::floor(high)}
                                  : Range{roundToward(type, low, 1),
                                          roundToward(type, high, -1)};
  // False for NaN too.
  const bool isRange = range.low <= range.high && std::isfinite(range.low) &&
                       std::isfinite(range.high);
  const bool fits =
      type != INT || (range.low >= std::numeric_limits<std::int32_t>::min() &&
                      range.high <= std::numeric_limits<std::int32_t>::max());
  if (!isRange || !fits)
    throw poplibs_error(std::string(function) + ": no range of " +
                        type.toString() + " from " + std::to_string(low) +
                        " to " + std::to_string(high));
  return range;
}

template <class Distribution>
Tensor draw(Graph &graph, const Tensor *seed, std::uint32_t seedModifier,
            const Tensor &reference, const Type &outType,
            Distribution distribution, Sequence &prog,
            poputil::PoplibsOpDebugInfo &di) {
  if (seed)
    checkSeed(*seed);
  const Tensor out = graph.clone(outType, reference, {di, "out"});
  addDraw(graph, seed, seedModifier, distribution, out, {}, prog, {di});
  di.addOutput(out);
  return out;
}

} // namespace

Tensor uniform(Graph &graph, const Tensor *seed, uint32_t seedModifier,
               const Tensor &reference, const Type &outType, double minVal,
               double maxVal, Sequence &prog,
               const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext,
      DI_ARGS(seed, reference, seedModifier, outType, minVal, maxVal));
  checkType("uniform", outType, {HALF, FLOAT, INT});
  const Range range = rangeOf("uniform", outType, minVal, maxVal);
  if (outType == INT) {
    const auto count = static_cast<std::uint64_t>(range.high - range.low) + 1;
    return draw(graph, seed, seedModifier, reference, outType,
                UniformInt{static_cast<std::int32_t>(range.low),
                           static_cast<std::uint32_t>(count)},
                prog, di);
  }
  return draw(
      graph, seed, seedModifier, reference, outType,
      Uniform{static_cast<float>(range.low), static_cast<float>(range.high)},
      prog, di);
}

Tensor logUniform(Graph &graph, const Tensor *seed, uint32_t seedModifier,
                  const Tensor &reference, const Type &outType, double minVal,
                  double maxVal, Sequence &prog, double base,
                  const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext,
      DI_ARGS(seed, reference, seedModifier, outType, minVal, maxVal, base));
  checkType("logUniform", outType, {HALF, FLOAT, INT});
  if (!(minVal >= 1) || !(maxVal > minVal))
    throw poplibs_error("logUniform: no range from " + std::to_string(minVal) +
                        ", which must be at least 1, to " +
                        std::to_string(maxVal));
  if (!(base > 0) || base == 1)
    throw poplibs_error("logUniform: a logarithm to the base " +
                        std::to_string(base));
  const bool isInt = outType == INT;
  if (isInt && (std::trunc(minVal) != minVal || std::trunc(maxVal) != maxVal))
    throw poplibs_error("logUniform: the bounds of INTs must be integers");
  const Range range = rangeOf("logUniform", outType, minVal, maxVal);
  const auto low = roundToward(FLOAT, range.low, 1);
  const auto high = roundToward(FLOAT, range.high, -1);
  return draw(graph, seed, seedModifier, reference, outType,
              LogUniform{static_cast<float>(std::log(minVal)),
                         static_cast<float>(std::log(maxVal)), low, high,
                         isInt},
              prog, di);
}

Tensor bernoulli(Graph &graph, const Tensor *seed, uint32_t seedModifier,
                 const Tensor &reference, const Type &outType, double prob,
                 Sequence &prog, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(seed, reference, seedModifier, outType, prob));
  checkType("bernoulli", outType, {HALF, FLOAT, INT});
  constexpr std::uint32_t kFloatOne = 0x3f800000;
  return draw(
      graph, seed, seedModifier, reference, outType,
      Bernoulli{thresholdOf("bernoulli", prob), outType == INT ? 1 : kFloatOne},
      prog, di);
}

Tensor normal(Graph &graph, const Tensor *seed, uint32_t seedModifier,
              const Tensor &reference, const Type &outType, double mean,
              double stdDev, Sequence &prog, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext,
      DI_ARGS(seed, reference, seedModifier, outType, mean, stdDev));
  checkType("normal", outType, {HALF, FLOAT});
  return draw(graph, seed, seedModifier, reference, outType,
              Normal{static_cast<float>(mean), static_cast<float>(stdDev)},
              prog, di);
}

Tensor truncatedNormal(Graph &graph, const Tensor *seed, uint32_t seedModifier,
                       const Tensor &reference, const Type &outType,
                       double mean, double stdDev, double alpha, Sequence &prog,
                       const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext,
      DI_ARGS(seed, reference, seedModifier, outType, mean, stdDev, alpha));
  checkType("truncatedNormal", outType, {HALF, FLOAT});
  if (!(alpha > 0))
    throw poplibs_error("truncatedNormal: alpha is " + std::to_string(alpha) +
                        ", which is not positive");
  const double tail = std::erfc(alpha / std::sqrt(2.0)) / 2;
  return draw(
      graph, seed, seedModifier, reference, outType,
      TruncatedNormal{static_cast<float>(mean), static_cast<float>(stdDev),
                      static_cast<float>(alpha), static_cast<float>(tail)},
      prog, di);
}

Tensor dropout(Graph &graph, const Tensor *seed, const uint32_t seedModifier,
               const Tensor &input, const Tensor &reference,
               double keepProbability, double scale, Sequence &prog,
               const DebugContext &debugContext) {
  return dropout(graph, seed, seedModifier, input, reference, keepProbability,
                 scale, true, prog, debugContext);
}

Tensor dropout(Graph &graph, const Tensor *seed, const uint32_t seedModifier,
               const Tensor &input, const Tensor &reference,
               double keepProbability, double scale, bool outputClonesRef,
               Sequence &prog, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext, DI_ARGS(seed, input, reference, seedModifier,
                            keepProbability, scale, outputClonesRef));
  if (seed)
    checkSeed(*seed);
  const Type type = input.elementType();
  checkType("dropout", type, {HALF, FLOAT});
  if (input.shape() != reference.shape())
    throw poplibs_error("dropout: the reference has shape " +
                        reference.shapeToString() + ", the input " +
                        input.shapeToString());
  const std::uint32_t threshold = thresholdOf("dropout", keepProbability);
  if (threshold == kCertain)
    return poputil::duplicate(graph, input, prog, {di});
  const Tensor out =
      graph.clone(type, outputClonesRef ? reference : input, {di, "out"});
  // The scale is rounded to the type, too.
  const float typedScale =
      type == HALF ? ipumodel::halfToFloat(ipumodel::doubleToHalf(scale))
                   : static_cast<float>(scale);
  addDraw(graph, seed, seedModifier, Dropout{threshold, typedScale}, out,
          {input}, prog, {di});
  di.addOutput(out);
  return out;
}

Tensor shapedDropout(Graph &graph, const Tensor *seed,
                     const uint32_t seedModifier, const Tensor &input,
                     const Tensor &reference, double keepProbability,
                     double scale, Sequence &prog,
                     const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(
      debugContext,
      DI_ARGS(seed, input, reference, seedModifier, keepProbability, scale));
  if (seed)
    checkSeed(*seed);
  if (thresholdOf("shapedDropout", keepProbability) == kCertain)
    return poputil::duplicate(graph, input, prog, {di});
  namespace pe = popops::expr;
  const Tensor kept =
      bernoulli(graph, seed, seedModifier, reference, input.elementType(),
                keepProbability, prog, {di});
  const Tensor out = popops::map(
      graph, pe::_1 * (pe::_2 * pe::Const(static_cast<float>(scale))),
      {input, kept}, prog, {di});
  di.addOutput(out);
  return out;
}

void setSeed(Graph &graph, const Tensor &masterSeed, uint32_t seedModifier,
             Sequence &prog, const DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(masterSeed, seedModifier));
  checkSeed(masterSeed);
  ipumodel::addNative(prog, SetSeedOperator{seedModifier},
                      {ipumodel::hwSeeds(graph)}, {masterSeed}, {di});
}

} // namespace poprand
