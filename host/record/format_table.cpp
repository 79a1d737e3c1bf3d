#include "host/record/format_table.hpp"

#include "text/json_object.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>

namespace popscope::host {

namespace {

using outfeed::CountBounds;
using outfeed::FormatHealth;
using outfeed::Magnitudes;
using outfeed::NumberFormat;

std::string powerOfTwo(int exponent) { return "2^" + std::to_string(exponent); }

std::string percent(std::uint64_t count, std::uint64_t all) {
  return count == all
             ? "100"
             : text::significant(100.0 * double(count) / double(all), 2);
}

// "0", "3.1%", or the two it lies between: "<=3.1%", "2-3.1%".
std::string share(const CountBounds &count, std::uint64_t all) {
  if (count.atMost == 0)
    return "0";
  const std::string least = percent(count.atLeast, all),
                    most = percent(count.atMost, all) + "%";
  if (count.atLeast == 0)
    return "<=" + most;
  return least + "%" == most ? most : least + "-" + most;
}

std::string octaves(double value) {
  if (std::isinf(value))
    return "none";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

bool carriesLossScale(const std::string &tensor) {
  for (const char *const part :
       {"_acts_grad", "_preacts_grad", "_per_micro_batch"})
    if (tensor.find(part) != std::string::npos)
      return true;
  return false;
}

bool endsWith(const std::string &text, std::string_view end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Computed before any gradient, so no loss scale changes it.
bool isOfForwardPass(const std::string &tensor) {
  return tensor == "loss" || endsWith(tensor, "_acts") ||
         endsWith(tensor, "_preacts");
}

struct LossScaleChange {
  std::optional<int> exponent; // of the power of two; absent: not known
  std::uint64_t infinite = 0;  // elements of gradients
};

LossScaleChange changeOf(const std::vector<TensorMagnitudes> &tensors,
                         const NumberFormat &format) {
  // An infinite element is beyond the largest number: an octave for it to fit,
  // and one to spare.
  constexpr int kOfInfinity = -2;
  LossScaleChange change;
  std::vector<Magnitudes> gradients;
  for (const TensorMagnitudes &tensor : tensors)
    if (carriesLossScale(tensor.tensor)) {
      gradients.push_back(tensor.magnitudes);
      change.infinite += tensor.infinite;
    }
  change.exponent = outfeed::lossScaleChange(gradients, format);
  if (change.infinite != 0)
    change.exponent =
        std::min(change.exponent.value_or(kOfInfinity), kOfInfinity);
  return change;
}

// With the infinite elements, which no scale makes fit.
FormatHealth healthOf(const TensorMagnitudes &tensor,
                      const NumberFormat &format, int scale) {
  FormatHealth health = outfeed::formatHealth(tensor.magnitudes, format, scale);
  health.saturated.atLeast += tensor.infinite;
  health.saturated.atMost += tensor.infinite;
  if (tensor.infinite != 0)
    health.headroom = -std::numeric_limits<double>::infinity();
  return health;
}

void addCounts(text::JsonObject &object, const FormatHealth &health) {
  const auto add = [&object](const char *name, const CountBounds &count) {
    object.add(name, "[" + std::to_string(count.atLeast) + ", " +
                         std::to_string(count.atMost) + "]");
  };
  add("saturated", health.saturated);
  add("top_binade", health.topBinade);
  add("subnormal", health.subnormal);
  add("flushed", health.flushed);
  object.number("headroom", health.headroom);
}

double largestOf(const TensorMagnitudes &tensor) {
  return tensor.infinite != 0 ? std::numeric_limits<double>::infinity()
                              : tensor.magnitudes.largest();
}

std::string tensorJson(const TensorMagnitudes &tensor,
                       const NumberFormat &format, int scale) {
  const Magnitudes &magnitudes = tensor.magnitudes;
  text::JsonObject object;
  object.string("tensor", tensor.tensor);
  object.count("finite", magnitudes.count());
  object.count("infinite", tensor.infinite);
  object.count("nan", tensor.nan);
  object.count("zero", magnitudes.zeros());
  object.number("abs_max", largestOf(tensor));
  addCounts(object, healthOf(tensor, format, scale));
  if (tensor.infinite != 0) {
    object.add("best_scale", "null");
    object.add("at_best_scale", "null");
    return object.text();
  }
  const int best = outfeed::bestScale(magnitudes, format);
  text::JsonObject atBest;
  object.add("best_scale", std::to_string(best));
  addCounts(atBest, outfeed::formatHealth(magnitudes, format, best));
  object.add("at_best_scale", atBest.text());
  return object.text();
}

} // namespace

std::string describe(const NumberFormat &format, int scale) {
  return std::string(format.name) + " holds up to " +
         text::significant(format.largest, 5) + ", normal from " +
         text::significant(format.smallestNormal(), 2) + ", subnormal from " +
         text::significant(format.smallest(), 2) +
         (scale == 0 ? "" : "; elements times " + powerOfTwo(scale));
}

std::vector<std::string> formatHeadings() {
  return {"tensor", "largest",   "headroom", "nan",        "saturated",
          "top",    "subnormal", "flushed",  "best scale", "lost there"};
}

std::vector<std::string> formatCells(const TensorMagnitudes &tensor,
                                     const NumberFormat &format, int scale) {
  const Magnitudes &magnitudes = tensor.magnitudes;
  const std::uint64_t all = tensor.count();
  const std::string nan = share({tensor.nan, tensor.nan}, all);
  if (magnitudes.largest() == 0 && tensor.infinite == 0)
    return {tensor.tensor, "0", "-", nan, "0", "0", "0", "0", "-", "0"};
  const FormatHealth health = healthOf(tensor, format, scale);
  std::vector<std::string> cells{tensor.tensor,
                                 text::significant(largestOf(tensor), 2),
                                 octaves(health.headroom),
                                 nan,
                                 share(health.saturated, all),
                                 share(health.topBinade, all),
                                 share(health.subnormal, all),
                                 share(health.flushed, all)};
  if (tensor.infinite != 0) {
    cells.insert(cells.end(), {"-", "-"});
    return cells;
  }
  const int best = outfeed::bestScale(magnitudes, format);
  const FormatHealth atBest = outfeed::formatHealth(magnitudes, format, best);
  cells.insert(cells.end(), {powerOfTwo(best), share(atBest.flushed, all)});
  return cells;
}

std::string lossScaleAdvice(const std::vector<TensorMagnitudes> &tensors,
                            const NumberFormat &format) {
  const LossScaleChange change = changeOf(tensors, format);
  if (!change.exponent)
    return "";
  const std::string name(format.name);
  if (*change.exponent == 0)
    return "loss scale: as it is, the gradients fit into " + name;
  const std::string begin =
      "loss scale: multiply it by " + powerOfTwo(*change.exponent);
  if (*change.exponent > 0)
    return begin + ": fewer gradients are lost in " + name +
           " and an octave or more stays free";
  const std::string why =
      change.infinite == 0
          ? ": gradients are too large for " + name
          : " or less: " + text::countText(change.infinite) +
                (change.infinite == 1 ? " element of gradients was infinite"
                                      : " elements of gradients were infinite");
  const auto cause = std::find_if(tensors.begin(), tensors.end(),
                                  [](const TensorMagnitudes &tensor) {
                                    return isOfForwardPass(tensor.tensor) &&
                                           tensor.infinite + tensor.nan != 0;
                                  });
  return begin + why +
         (cause == tensors.end()
              ? std::string()
              : ", which may come from " + cause->tensor +
                    ": it was not finite, and no loss scale changes that");
}

std::string formatJson(const std::vector<TensorMagnitudes> &tensors,
                       const NumberFormat &format, int scale) {
  text::JsonObject object;
  object.string("format", std::string(format.name));
  object.add("scale", std::to_string(scale));
  object.add("tensors",
             text::jsonArray(tensors, [&](const TensorMagnitudes &tensor) {
               return tensorJson(tensor, format, scale);
             }));
  const std::optional<int> change = changeOf(tensors, format).exponent;
  object.add("loss_scale_change", change ? std::to_string(*change) : "null");
  return object.text();
}

} // namespace popscope::host
