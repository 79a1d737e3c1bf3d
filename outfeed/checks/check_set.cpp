#include "outfeed/checks/check_set.hpp"

#include "text/nearest_names.hpp"

#include <algorithm>
#include <tuple>

namespace popscope::outfeed {

namespace {

std::string keyOf(const TensorTraits &tensor) {
  return std::string(nameOf(tensor.moment)) + " " + tensor.name;
}

// Why the check watches no tensor of the program; empty if it watches one.
std::string whyUnmatched(const Check &check, const ProgramFacts &facts) {
  const TensorFilter &filter = check.tensors();
  if (filter.text() == check.defaultTensors())
    return "";
  std::vector<std::string> names;
  for (TensorTraits tensor : facts.tensors) {
    names.push_back(tensor.name);
    if (filter.matches(tensor))
      return "";
    if (tensor.kind != graph::TensorKind::weight)
      continue;
    tensor.kind = graph::TensorKind::update; // listed only if it is tapped
    tensor.name += "_update";
    if (filter.matches(tensor))
      return "";
  }
  return "no tensor matches '" + filter.text() + "'; the nearest are " +
         text::nearestNames(filter.text(), names);
}

bool isBefore(const Observed &a, const Observed &b) {
  const auto key = [](const Observed &observed) {
    const SampleOrigin origin =
        observed.series->origin.value_or(SampleOrigin{});
    return std::make_tuple(observed.series->place, origin.replica,
                           origin.microBatch);
  };
  return key(a) < key(b);
}

} // namespace

CheckSet::CheckSet(std::vector<PlannedCheck> checks, const ProgramFacts &facts,
                   Listener listener)
    : checks_(std::move(checks)), listener_(std::move(listener)) {
  for (std::size_t i = 0; i < facts.tensors.size(); ++i)
    places_.emplace(keyOf(facts.tensors[i]), i);
  for (const PlannedCheck &planned : checks_) {
    planned.check->begin(facts);
    unmatched_.push_back(whyUnmatched(*planned.check, facts));
  }
}

const Series *CheckSet::seriesOf(const TensorTraits &tensor,
                                 const std::optional<SampleOrigin> &origin) {
  const auto place = places_.find(keyOf(tensor));
  if (place == places_.end())
    return nullptr;
  const SampleOrigin from = origin.value_or(SampleOrigin{});
  const Series *&known =
      seriesOf_[{place->second, from.replica, from.microBatch, bool(origin)}];
  if (!known) {
    Tap tap;
    tap.tensor = tensor;
    tap.origin = origin;
    series_.push_back(
        {series_.size(), place->second, tensor, origin, tagOf(tap)});
    known = &series_.back();
  }
  return known;
}

void CheckSet::look(UpdateObservations update) {
  std::sort(update.all.begin(), update.all.end(), isBefore);
  for (std::size_t check = 0; check < checks_.size(); ++check)
    for (const Violation &violation : checks_[check].check->look(update))
      note(check, violation, update.update);
  if (listener_.looked)
    listener_.looked(update.update);
}

void CheckSet::note(std::size_t check, const Violation &violation,
                    Update update) {
  const PlannedCheck &planned = checks_[check];
  const auto [at, isNew] = states_.emplace(
      CheckAndSeries(check, violation.series->number), State{findings_.size()});
  State &state = at->second;
  if (isNew) {
    Finding finding;
    finding.check = planned.check->name();
    finding.tensor = violation.series->tag;
    finding.first = update;
    finding.value = violation.value;
    finding.text = planned.check->describe(violation);
    findings_.push_back(std::move(finding));
  }
  Finding &finding = findings_[state.finding];
  finding.last = update;
  ++finding.samples;
  if (isNew && listener_.found)
    listener_.found(finding);
  const bool isDue =
      isNew || double(++state.sinceLast) >= planned.escalateAfter;
  if (!isDue || state.level == planned.actions.size())
    return;
  state.sinceLast = 0;
  const CheckAction action = planned.actions[state.level++];
  if (action != CheckAction::mark && listener_.act)
    listener_.act({action, finding, violation.series->tensor,
                   std::uint32_t(planned.sampleFor)});
}

std::vector<std::string> CheckSet::lacking() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < checks_.size(); ++i) {
    const Check &check = *checks_[i].check;
    const std::string why =
        unmatched_[i].empty() ? check.lacking() : unmatched_[i];
    if (!why.empty())
      lines.push_back(std::string(check.name()) + ": " + why);
  }
  return lines;
}

std::vector<std::string> CheckSet::made() const {
  std::vector<std::string> names;
  for (const PlannedCheck &planned : checks_)
    if (planned.check->hasSeen())
      names.emplace_back(planned.check->name());
  return names;
}

std::vector<Check::Measure> CheckSet::measures() const {
  std::vector<Check::Measure> measures;
  for (const PlannedCheck &planned : checks_)
    if (const auto measure = planned.check->measure())
      measures.push_back(*measure);
  return measures;
}

} // namespace popscope::outfeed
