#include "outfeed/tap_plan.hpp"

#include "text/nearest_names.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace popscope::outfeed {

std::string tagOf(const Tap &tap) {
  std::string tag = tagOf(tap.tensor);
  if (tap.origin)
    tag += "/replica_" + std::to_string(tap.origin->replica);
  if (tap.origin && tap.tensor.moment == graph::TapMoment::microBatch)
    tag += "/micro_batch_" + std::to_string(tap.origin->microBatch);
  return tag;
}

StatsTier tierOf(const Tap &tap) {
  const StatsTier sent =
      tap.payload == Payload::full ? StatsTier::alarm : tierOf(tap.payload);
  return tap.condition ? std::max(sent, tap.condition->tier()) : sent;
}

TapPlan::TapPlan(std::vector<TapRule> rules, Alarms alarms, Control control,
                 unsigned mergedReplicas)
    : rules_(std::move(rules)), matched_(rules_.size(), false),
      wantedAlarms_(alarms), control_(control),
      mergedReplicas_(mergedReplicas) {}

std::vector<Tap *> TapPlan::ownTapsOf(const TensorTraits &tensor) {
  std::vector<Tap *> taps;
  for (Tap &tap : taps_)
    if (tap.tensor.moment == tensor.moment && tap.tensor.name == tensor.name)
      taps.push_back(&tap);
  return taps;
}

std::vector<const Tap *> TapPlan::tapsOf(const std::string &name,
                                         graph::TapMoment moment) const {
  std::vector<const Tap *> taps;
  for (const auto *list : {&taps_, &alarms_})
    for (const Tap &tap : *list)
      if (tap.tensor.moment == moment && tap.tensor.name == name)
        taps.push_back(&tap);
  return taps;
}

Tap &TapPlan::newTap(const TensorTraits &tensor, const TapRule &rule) {
  Tap tap;
  tap.id = TapId(taps_.size());
  tap.tensor = tensor;
  tap.schedule = rule.schedule;
  tap.condition = rule.condition;
  tap.forUpdates = rule.forUpdates;
  tap.rule = std::size_t(&rule - rules_.data());
  tap.payload = rule.payload;
  tap.masked = isLive();
  const bool isStatistics =
      tap.payload == Payload::stats || tap.payload == Payload::shape;
  constexpr std::size_t kMostCounted = std::numeric_limits<unsigned>::max();
  if (isStatistics && !tap.condition &&
      tensor.numElements <= kMostCounted / mergedReplicas_)
    tap.mergedReplicas = mergedReplicas_;
  taps_.push_back(std::move(tap));
  return taps_.back();
}

Tap *TapPlan::add(const TensorTraits &tensor) {
  tensors_.push_back(tensor);
  const TapRule *chosen = nullptr;
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (rules_[r].filter.matches(tensor)) {
      matched_[r] = true;
      if (!rules_[r].schedule.isNever())
        chosen = &rules_[r];
    }
  if (!chosen)
    return nullptr;
  const std::vector<Tap *> known = ownTapsOf(tensor);
  return known.empty() ? &newTap(tensor, *chosen) : known.front();
}

std::vector<Tap *> TapPlan::addStandbys(const TensorTraits &tensor) {
  std::vector<Tap *> standbys;
  if (!isLive())
    return standbys;
  for (const TapRule &rule : rules_) {
    if (!rule.schedule.isNever() || !rule.filter.matches(tensor))
      continue;
    const std::vector<Tap *> known = ownTapsOf(tensor);
    if (std::none_of(known.begin(), known.end(), [&](const Tap *tap) {
          return tap->payload == rule.payload;
        }))
      standbys.push_back(&newTap(tensor, rule));
  }
  return standbys;
}

Tap *TapPlan::addAlarm(const TensorTraits &tensor, const Tap *own) {
  if (wantedAlarms_ == Alarms::none || (own && tellsHealth(*own)))
    return nullptr;
  Tap tap;
  tap.id = TapId(kFirstAlarm + alarms_.size());
  tap.tensor = tensor;
  tap.payload = Payload::alarm;
  if (isLive())
    for (Tap *const other : ownTapsOf(tensor))
      if (other->payload != Payload::full && !other->condition &&
          !other->isMerged()) {
        other->replaces = tap.id;
        if (!tap.masked)
          tap.rule = other->rule;
        tap.masked = true;
      }
  alarms_.push_back(std::move(tap));
  return &alarms_.back();
}

bool TapPlan::wants(const TensorTraits &tensor) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const TapRule &rule) {
    return (isLive() || !rule.schedule.isNever()) &&
           rule.filter.matches(tensor);
  });
}

bool TapPlan::wantsUpdate(const std::string &name) const {
  const std::string gradient = name.substr(0, name.rfind('_')) + "_grad";
  TensorTraits traits;
  for (const TensorTraits &tensor : tensors_)
    if (tensor.name == gradient)
      traits = tensor;
  traits.name = name;
  traits.kind = graph::TensorKind::update;
  traits.moment = graph::TapMoment::applied;
  return wants(traits);
}

std::string TapPlan::titleOf(std::size_t rule) const {
  const std::string &title = rules_[rule].title;
  return title.empty() ? "rule " + std::to_string(rule + 1) : title;
}

void TapPlan::requireMatches() const {
  std::vector<std::string> names;
  for (const TensorTraits &tensor : tensors_)
    names.push_back(tensor.name);
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (!matched_[r] && rules_[r].unmatched == Unmatched::isRefused) {
      const std::string &text = rules_[r].filter.text();
      throw std::invalid_argument(
          "[outfeed] " + titleOf(r) + ": no tensor matches '" + text + "'" +
          (tensors_.empty()
               ? "; the program has none to tap"
               : "; the nearest are " + text::nearestNames(text, names)));
    }
}

std::vector<std::string> TapPlan::neverDue(std::uint32_t updates) const {
  std::vector<std::string> lines;
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (rules_[r].schedule.dueBefore(Update(updates)) == 0 &&
        !(isLive() && rules_[r].schedule.isNever()))
      lines.push_back(titleOf(r) + ": '" + rules_[r].schedule.text() +
                      "' is never due; there are " + std::to_string(updates) +
                      " updates, counted from 0");
  return lines;
}

} // namespace popscope::outfeed
