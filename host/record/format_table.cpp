#include "host/record/format_table.hpp"

#include "text/json_object.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

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

std::optional<int> changeOf(const std::vector<TensorMagnitudes> &tensors,
                            const NumberFormat &format) {
  std::vector<Magnitudes> gradients;
  for (const TensorMagnitudes &tensor : tensors)
    if (carriesLossScale(tensor.tensor))
      gradients.push_back(tensor.magnitudes);
  return outfeed::lossScaleChange(gradients, format);
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

std::string tensorJson(const TensorMagnitudes &tensor,
                       const NumberFormat &format, int scale) {
  const Magnitudes &magnitudes = tensor.magnitudes;
  const int best = outfeed::bestScale(magnitudes, format);
  text::JsonObject object, atBest;
  object.string("tensor", tensor.tensor);
  object.count("finite", magnitudes.count());
  object.count("zero", magnitudes.zeros());
  object.number("abs_max", magnitudes.largest());
  addCounts(object, outfeed::formatHealth(magnitudes, format, scale));
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
  return {"tensor",    "largest", "headroom",   "saturated", "top",
          "subnormal", "flushed", "best scale", "lost there"};
}

std::vector<std::string> formatCells(const TensorMagnitudes &tensor,
                                     const NumberFormat &format, int scale) {
  const Magnitudes &magnitudes = tensor.magnitudes;
  const std::uint64_t all = magnitudes.count();
  const FormatHealth health = outfeed::formatHealth(magnitudes, format, scale);
  if (magnitudes.largest() == 0)
    return {tensor.tensor, "0", "-", "0", "0", "0", "0", "-", "0"};
  const int best = outfeed::bestScale(magnitudes, format);
  const FormatHealth atBest = outfeed::formatHealth(magnitudes, format, best);
  return {tensor.tensor,
          text::significant(magnitudes.largest(), 2),
          octaves(health.headroom),
          share(health.saturated, all),
          share(health.topBinade, all),
          share(health.subnormal, all),
          share(health.flushed, all),
          powerOfTwo(best),
          share(atBest.flushed, all)};
}

std::string lossScaleAdvice(const std::vector<TensorMagnitudes> &tensors,
                            const NumberFormat &format) {
  const std::optional<int> change = changeOf(tensors, format);
  if (!change)
    return "";
  const std::string name(format.name);
  if (*change == 0)
    return "loss scale: as it is, the gradients fit into " + name;
  return "loss scale: multiply it by " + powerOfTwo(*change) +
         (*change > 0 ? ": fewer gradients are lost in " + name +
                            " and an octave or more stays free"
                      : ": gradients are too large for " + name);
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
  const std::optional<int> change = changeOf(tensors, format);
  object.add("loss_scale_change", change ? std::to_string(*change) : "null");
  return object.text();
}

} // namespace popscope::host
