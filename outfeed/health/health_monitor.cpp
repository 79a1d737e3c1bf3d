#include "outfeed/health/health_monitor.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace popscope::outfeed {

namespace {

using graph::Computation;
using graph::TapMoment;
using graph::TensorKind;

// Updates of which samples may be missing while later ones arrive.
constexpr std::size_t kMostOpen = 2;
static_assert(kMostOpen + 2 <= HealthHistory::kUpdates,
              "the update before an open one is still known");

// Whether a sample of this tap comes at the update; a masked one then comes in
// place of the alarm of its tensor. Those of all replicas together say nothing
// of one.
bool isExpectedAt(const Tap &tap, Update update) {
  return TapPlan::isAlarm(tap.id) || tap.replaces ||
         (!tap.condition && !tap.masked && !tap.isMerged() &&
          tap.schedule.isDue(update));
}

bool canHide(Computation computation) {
  return keepsFinite(computation) || computation == Computation::dropout;
}

// Of an activation that was not watched: whether it has nothing bad. A ReLU or
// a maximum has none of it but infinities above zero.
bool hidesAll(const TensorTraits &tensor, const TensorHealth &input) {
  return keepsFinite(tensor.derivation.computation) &&
         tensor.kind == TensorKind::activation && input.posInf == 0;
}

} // namespace

HealthMonitor::HealthMonitor(const TapPlan &plan, HealthOptions options)
    : options_(std::move(options)), graph_(plan.tensors()),
      history_(graph_.size(), options_.slice.replicas),
      trace_(graph_, history_), isNoted_(graph_.size(), false) {
  const auto add = [&](const Tap &tap) {
    pointOf_[&tap] = graph_.find(tap.tensor);
    if (!tap.replaces)
      taps_.push_back(&tap);
  };
  for (const Tap &tap : plan.taps())
    add(tap);
  for (const Tap &tap : plan.alarms())
    add(tap);
}

std::size_t HealthMonitor::expectedAt(Update update) const {
  std::size_t expected = 0;
  for (const Tap *const tap : taps_)
    if (isExpectedAt(*tap, update))
      expected += tap->tensor.moment == TapMoment::microBatch
                      ? options_.microBatchesPerUpdate
                      : 1;
  return expected * options_.slice.replicas;
}

bool HealthMonitor::isFault(const TensorTraits &tensor,
                            const TensorHealth &health) const {
  if (health.nan != 0 || health.bad() == 0)
    return health.nan != 0;
  return std::none_of(
      options_.infinitiesIntended.begin(), options_.infinitiesIntended.end(),
      [&](const TensorFilter &filter) { return filter.matches(tensor); });
}

void HealthMonitor::add(const Tap &tap, Update update,
                        const SampleOrigin &origin,
                        const TensorHealth &health) {
  const std::size_t point = pointOf_.at(&tap);
  history_.put(point, update, origin, health);
  const auto [found, isNew] = open_.try_emplace(update.value());
  Open &open = found->second;
  if (isNew)
    open.missing = expectedAt(update);
  if (isFault(tap.tensor, health))
    open.bad.push_back({point, origin, health});
  if (!isExpectedAt(tap, update))
    return;
  open.missing -= std::min<std::size_t>(open.missing, 1);
  while (!open_.empty() &&
         (open_.begin()->second.missing == 0 || open_.size() > kMostOpen))
    judgeFirst();
}

void HealthMonitor::finish() {
  while (!open_.empty())
    judgeFirst();
}

void HealthMonitor::judgeFirst() {
  const Update update(open_.begin()->first);
  std::vector<Bad> bad = std::move(open_.begin()->second.bad);
  open_.erase(open_.begin());
  if (!bad.empty())
    judge(update, std::move(bad));
}

bool HealthMonitor::comesBefore(const Bad &a, const Bad &b) const {
  const auto key = [this](const Bad &bad) {
    const bool isOfMicroBatch =
        graph_.point(bad.point).moment == TapMoment::microBatch;
    return std::tuple(!isOfMicroBatch, bad.origin.microBatch, bad.point,
                      bad.origin.replica);
  };
  return key(a) < key(b);
}

void HealthMonitor::judge(Update update, std::vector<Bad> bad) {
  std::sort(bad.begin(), bad.end(),
            [this](const Bad &a, const Bad &b) { return comesBefore(a, b); });
  if (!verdict_) {
    verdict_ = verdictOn(bad.front(), update);
    isNoted_[bad.front().point] = true;
  }
  noteArrivals(bad, update);
  for (const Bad &item : bad)
    noteFollower(item, update);
  noteHiders(bad, update);
}

void HealthMonitor::noteArrivals(const std::vector<Bad> &bad, Update update) {
  std::vector<Arrival> &arrivals = verdict_->arrivals;
  if (arrivals.size() == options_.slice.replicas ||
      options_.slice.replicas == 1)
    return;
  for (const Bad &item : bad)
    if (std::none_of(arrivals.begin(), arrivals.end(),
                     [&](const Arrival &arrival) {
                       return arrival.replica == item.origin.replica;
                     }))
      arrivals.push_back({item.origin.replica, update,
                          tagOf(graph_.point(item.point)),
                          isReceived(item, update)});
}

bool HealthMonitor::isReceived(const Bad &bad, Update update) const {
  if (graph_.point(bad.point).moment == TapMoment::microBatch)
    return false; // replicas meet after their micro-batches
  const auto contributesBad = [&](unsigned replica) {
    Bad there = bad;
    there.origin.replica = replica;
    const std::vector<KnownInput> inputs =
        trace_.inputsOf(there.point, update, there.origin);
    return std::any_of(inputs.begin(), inputs.end(),
                       [](const KnownInput &input) {
                         return input.health && input.health->bad() != 0;
                       });
  };
  if (contributesBad(bad.origin.replica))
    return false;
  for (unsigned replica = 0; replica < options_.slice.replicas; ++replica)
    if (contributesBad(replica))
      return true;
  return false;
}

void HealthMonitor::noteFollower(const Bad &bad, Update update) {
  if (isNoted_[bad.point])
    return;
  isNoted_[bad.point] = true;
  if (verdict_->followers.size() < Verdict::kMostFollowers)
    verdict_->followers.push_back({tagOf(graph_.point(bad.point)), update});
  else
    ++verdict_->moreFollowers;
}

void HealthMonitor::noteHiders(const std::vector<Bad> &bad, Update update) {
  for (std::size_t point = 0; point < graph_.size(); ++point) {
    const TensorTraits &tensor = graph_.point(point);
    if (isNoted_[point] || !canHide(tensor.derivation.computation))
      continue;
    for (const Bad &item : bad) {
      const auto &inputs = graph_.inputs(point);
      const bool isRead = std::any_of(
          inputs.begin(), inputs.end(), [&](const PointGraph::Input &input) {
            return input.point == item.point && !input.ofUpdateBefore;
          });
      if (!isRead)
        continue;
      const TensorHealth *const output =
          history_.find(point, update, item.origin);
      if (!(output ? output->bad() == 0 : hidesAll(tensor, item.health)))
        continue;
      isNoted_[point] = true;
      verdict_->hiders.push_back(
          {std::string(tensor.layer()), tensor.derivation.computation,
           tagOf(graph_.point(item.point)), item.health, update});
      break;
    }
  }
}

Verdict HealthMonitor::verdictOn(const Bad &bad, Update update) const {
  Verdict verdict;
  verdict.tensor = graph_.point(bad.point);
  verdict.update = update;
  verdict.origin = bad.origin;
  verdict.hasMicroBatches = verdict.tensor.moment == TapMoment::microBatch &&
                            options_.microBatchesPerUpdate > 1;
  verdict.slice = options_.slice;
  verdict.health = bad.health;
  verdict.inputs = trace_.inputsOf(bad.point, update, bad.origin);
  verdict.cause = causeOf(verdict.tensor, bad.health, verdict.inputs);
  for (const Injection &injection : options_.injections)
    if (injection.tensor == verdict.tensor.name && injection.update == update)
      verdict.cause = {CauseKind::injected, "injected by " + injection.text};
  blameInterventions(verdict);
  return verdict;
}

// One in the tensor itself is the cause. Others before it may have led to it.
void HealthMonitor::blameInterventions(Verdict &verdict) const {
  if (!options_.interventions)
    return;
  for (const Intervention &intervention : options_.interventions()) {
    if (verdict.update < intervention.first)
      continue;
    const bool isOfTensor = intervention.tensor == verdict.tensor.name &&
                            intervention.moment == verdict.tensor.moment;
    if (isOfTensor && intervention.isAt(verdict.update)) {
      verdict.cause = {CauseKind::intervened,
                       "intervened: " + intervention.change.text()};
      return;
    }
    verdict.cause.text += "; after an " + lineOf(intervention);
  }
}

} // namespace popscope::outfeed
