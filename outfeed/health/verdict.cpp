#include "outfeed/health/verdict.hpp"

#include "outfeed/element_coordinates.hpp"
#include "text/json_object.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace popscope::outfeed {

namespace {

std::string placeOf(const Verdict &verdict) {
  std::string text = "update " + std::to_string(verdict.update.value());
  if (verdict.hasMicroBatches)
    text += ", micro-batch " + std::to_string(verdict.origin.microBatch);
  if (verdict.slice.isSplit())
    text += ", instance " +
            std::to_string(verdict.slice.instanceOf(verdict.origin.replica));
  if (verdict.slice.replicas > 1)
    text += ", replica " + std::to_string(verdict.origin.replica);
  return text;
}

bool isBad(const KnownInput &input) {
  return input.health && input.health->bad() != 0;
}

std::string inputsText(const Verdict &verdict) {
  const std::vector<KnownInput> &inputs = verdict.inputs;
  std::string text;
  for (const KnownInput &input : inputs)
    if (isBad(input))
      text += (text.empty() ? "; " : ", ") + input.name + " had " +
              badElements(*input.health);
  if (!text.empty())
    return text;
  for (const KnownInput &input : inputs)
    if (input.health)
      text += (text.empty() ? "" : ", ") + input.name + " up to " +
              text::significant(input.health->absMax, 2);
  if (!text.empty())
    return "; its inputs were finite (" + text + ")";
  return verdict.tensor.derivation.computation == graph::Computation::host
             ? ""
             : "; it is the first one watched, its inputs are not known";
}

const char *verbOf(graph::Computation computation) {
  switch (computation) {
  case graph::Computation::relu:
    return "the ReLU of ";
  case graph::Computation::pooling:
    return "the pooling of ";
  case graph::Computation::dropout:
    return "the dropout of ";
  default:
    return "";
  }
}

std::string elementJson(std::uint64_t index,
                        const std::vector<std::size_t> &shape) {
  return index == summary::TensorStats::kNoIndex
             ? "null"
             : coordinatesText(index, shape);
}

void addHealth(text::JsonObject &object, const TensorHealth &health) {
  object.count("count", health.count);
  object.count("nan", health.nan);
  object.count("pos_inf", health.posInf);
  object.count("neg_inf", health.negInf);
  object.number("abs_max", health.absMax);
}

} // namespace

std::string firstLine(const Verdict &verdict) {
  const TensorTraits &tensor = verdict.tensor;
  const TensorHealth &health = verdict.health;
  std::string text = "first not finite: " + placeOf(verdict) + ", " +
                     tagOf(tensor) + " (" + std::string(tensor.layer()) +
                     ", stage " + std::to_string(tensor.stage) +
                     "): " + badShare(health);
  if (health.firstBad != summary::TensorStats::kNoIndex)
    text += ", first at " + coordinatesText(health.firstBad, tensor.shape);
  return text + inputsText(verdict) + ": " + verdict.cause.text;
}

std::vector<std::string> laterLines(const Verdict &verdict) {
  // Enough to see where it went; the JSON has them all.
  constexpr std::size_t kMostNames = 8, kMostHiders = 3;
  std::vector<std::string> lines;
  std::string followed;
  std::optional<Update> last;
  for (std::size_t i = 0; i < std::min(verdict.followers.size(), kMostNames);
       ++i) {
    const Verdict::Follower &follower = verdict.followers[i];
    if (!last || *last != follower.update)
      followed += (i == 0 ? "" : "; ") + std::string("update ") +
                  std::to_string(follower.update.value()) + ": ";
    else
      followed += ", ";
    last = follower.update;
    followed += follower.name;
  }
  const std::uint64_t all = verdict.followers.size() + verdict.moreFollowers;
  if (all > kMostNames)
    followed +=
        " and " + text::withThousands(double(all - kMostNames)) + " more";
  if (!followed.empty())
    lines.push_back("then " + followed);
  for (std::string &line : arrivalLines(verdict.arrivals, verdict.slice))
    lines.push_back(std::move(line));
  for (std::size_t i = 0; i < std::min(verdict.hiders.size(), kMostHiders);
       ++i) {
    const Verdict::Hider &hider = verdict.hiders[i];
    lines.push_back("hidden at update " + std::to_string(hider.update.value()) +
                    ": " + verbOf(hider.computation) + hider.name +
                    " made finite numbers of " + badElements(hider.hidden) +
                    " in " + hider.input);
  }
  if (verdict.hiders.size() > kMostHiders)
    lines.push_back("hidden at " +
                    std::to_string(verdict.hiders.size() - kMostHiders) +
                    " more places");
  return lines;
}

std::string toJson(const Verdict &verdict) {
  const TensorTraits &tensor = verdict.tensor;
  text::JsonObject object;
  object.string("tensor", tagOf(tensor));
  object.string("kind", nameOf(tensor.kind));
  object.string("layer", std::string(tensor.layer()));
  object.count("stage", tensor.stage);
  object.count("update", verdict.update.value());
  object.count("micro_batch", verdict.origin.microBatch);
  object.count("replica", verdict.origin.replica);
  object.count("instance", verdict.slice.instanceOf(verdict.origin.replica));
  addHealth(object, verdict.health);
  object.add("first_bad", elementJson(verdict.health.firstBad, tensor.shape));
  object.add("inputs",
             text::jsonArray(verdict.inputs, [](const KnownInput &input) {
               text::JsonObject of;
               of.string("tensor", input.name);
               if (input.health)
                 addHealth(of, *input.health);
               return of.text();
             }));
  object.string("cause", verdict.cause.text);
  object.add("followed", text::jsonArray(verdict.followers, [](const auto &f) {
               text::JsonObject of;
               of.string("tensor", f.name);
               of.count("update", f.update.value());
               return of.text();
             }));
  object.count("more_followed", verdict.moreFollowers);
  object.add("hidden_by", text::jsonArray(verdict.hiders, [](const auto &h) {
               text::JsonObject of;
               of.string("tensor", h.name);
               of.string("input", h.input);
               of.count("update", h.update.value());
               addHealth(of, h.hidden);
               return of.text();
             }));
  object.add("arrivals", toJson(verdict.arrivals, verdict.slice));
  object.string("line", firstLine(verdict));
  return object.text();
}

} // namespace popscope::outfeed
