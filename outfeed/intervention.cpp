#include "outfeed/intervention.hpp"

#include "text/json_object.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace popscope::outfeed {

namespace {

constexpr InterventionKind kKinds[] = {
    InterventionKind::zero, InterventionKind::scale, InterventionKind::noise};

graph::TapMoment momentOf(const std::string &name) {
  using graph::TapMoment;
  for (const TapMoment moment : {TapMoment::microBatch, TapMoment::accumulated,
                                 TapMoment::reduced, TapMoment::applied})
    if (name == nameOf(moment))
      return moment;
  throw std::invalid_argument("[outfeed] no moment '" + name + "'");
}

Update updateOf(const text::JsonValue &json) {
  const double number = json.numberOr(-1);
  if (!(number >= 0 && number <= std::numeric_limits<std::uint32_t>::max()))
    throw std::invalid_argument("[outfeed] an intervention without updates");
  return Update(std::uint32_t(number));
}

} // namespace

std::string ElementChange::text() const {
  const std::string number = text::shortestDecimal(amount);
  switch (kind) {
  case InterventionKind::zero:
    return "set to 0";
  case InterventionKind::scale:
    return "scaled by " + number;
  case InterventionKind::noise:
    return "given noise of " + number;
  case InterventionKind::none:
    break;
  }
  return "left alone";
}

std::string lineOf(const Intervention &intervention) {
  const std::string first = std::to_string(intervention.first.value()),
                    last = std::to_string(intervention.last.value());
  return "intervention at update" +
         (first == last ? " " + first : "s " + first + " to " + last) + ": " +
         intervention.tag + " " + intervention.change.text();
}

std::string shortList(const std::vector<std::string> &names) {
  constexpr std::size_t kMostNames = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNames)
    text += " and " + std::to_string(names.size() - kMostNames) + " more";
  return text;
}

const char *nameOf(InterventionKind kind) {
  switch (kind) {
  case InterventionKind::zero:
    return "zero";
  case InterventionKind::scale:
    return "scale";
  case InterventionKind::noise:
    return "noise";
  case InterventionKind::none:
    break;
  }
  return "none";
}

ElementChange parseChange(const std::string &kind, double amount) {
  const auto found = std::find_if(
      std::begin(kKinds), std::end(kKinds),
      [&](InterventionKind candidate) { return kind == nameOf(candidate); });
  if (found == std::end(kKinds))
    throw std::invalid_argument("[outfeed] no intervention '" + kind +
                                "'; they are zero, scale and noise");
  const ElementChange change{*found, float(amount)};
  if (!std::isfinite(change.amount) ||
      (change.kind == InterventionKind::noise && amount < 0))
    throw std::invalid_argument(
        "[outfeed] " + kind + " needs " +
        (change.kind == InterventionKind::noise
             ? "a standard deviation that is 0 or more, and finite"
             : "a number that is finite"));
  return change;
}

std::string toJson(const Intervention &intervention) {
  text::JsonObject object;
  object.string("tensor", intervention.tensor);
  object.string("at", nameOf(intervention.moment));
  object.string("tag", intervention.tag);
  object.string("kind", nameOf(intervention.change.kind));
  object.add("amount", text::shortestDecimal(intervention.change.amount));
  object.count("first", intervention.first.value());
  object.count("last", intervention.last.value());
  return object.text();
}

Intervention parseIntervention(const text::JsonValue &json) {
  Intervention result;
  result.tensor = json["tensor"].stringOr("");
  result.moment = momentOf(json["at"].stringOr(""));
  result.tag = json["tag"].stringOr(result.tensor);
  result.change = parseChange(json["kind"].stringOr(""),
                              json["amount"].numberOr(std::nan("")));
  result.first = updateOf(json["first"]);
  result.last = updateOf(json["last"]);
  return result;
}

std::uint32_t noiseSeed(std::uint32_t seedOfRun, const TensorTraits &tensor,
                        Update update) {
  std::uint32_t seed = mix(seedOfRun);
  for (const char c : tensor.name)
    seed = mix(seed ^ std::uint32_t(static_cast<unsigned char>(c)));
  seed = mix(seed ^ std::uint32_t(tensor.moment));
  return mix(seed ^ update.value());
}

} // namespace popscope::outfeed
