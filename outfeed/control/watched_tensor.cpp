#include "outfeed/control/watched_tensor.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

std::optional<std::size_t> WatchedTensor::withPayload(Payload payload) const {
  for (const bool isConditional : {false, true})
    for (std::size_t i = 0; i < taps.size(); ++i)
      if (taps[i]->payload == payload &&
          taps[i]->condition.has_value() == isConditional)
        return i;
  return std::nullopt;
}

std::size_t WatchedTensor::largest() const {
  const auto largest = std::max_element(
      taps.begin(), taps.end(), [](const Tap *a, const Tap *b) {
        return std::pair(!a->condition, a->payload) <
               std::pair(!b->condition, b->payload);
      });
  return std::size_t(largest - taps.begin());
}

std::optional<std::size_t>
WatchedTensor::withCondition(const Condition &condition) const {
  for (std::size_t i = 0; i < taps.size(); ++i)
    if (!condition.terms.empty() &&
        std::equal(condition.terms.begin(), condition.terms.end(),
                   conditions[i].terms.begin(), conditions[i].terms.end(),
                   [](const ConditionTerm &a, const ConditionTerm &b) {
                     return wordOf(a) == wordOf(b);
                   }))
      return i;
  return std::nullopt;
}

std::optional<std::size_t> WatchedTensor::dueAt(Update update) const {
  if (once)
    return once;
  const UpdateSchedule &current = thinned ? *thinned : schedule;
  return isOn && current.isDue(update) ? std::optional(chosen) : std::nullopt;
}

std::optional<std::size_t>
WatchedTensor::dueIn(const std::vector<bool> &rules) const {
  return rules[taps[chosen]->rule] ? std::optional(chosen) : std::nullopt;
}

void WatchedTensor::takeRequest() {
  isAsRuled = false;
  thinned.reset();
}

} // namespace popscope::outfeed
