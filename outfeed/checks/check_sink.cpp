#include "outfeed/checks/check_sink.hpp"

#include <algorithm>
#include <utility>

namespace popscope::outfeed {

CheckSink::CheckSink(std::vector<PlannedCheck> checks, CheckSinkOptions options)
    : planned_(std::move(checks)), options_(std::move(options)) {}

void CheckSink::begin(const TapPlan &plan) {
  plan_ = &plan;
  isRegular_ = std::none_of(plan.taps().begin(), plan.taps().end(),
                            [](const Tap &tap) { return tap.condition; });
  lastUpdates_.assign(
      options_.fold == Fold::apart ? options_.facts.replicas : 1, 0);
  options_.facts.tensors = plan.tensors();
  CheckSet::Listener listener;
  listener.found = [this](const Finding &finding) {
    ++found_[finding.check];
    if (isReplay_)
      return;
    lines_ += "- " + lineOf(finding) + "\n";
    if (options_.listener.found)
      options_.listener.found(finding);
  };
  listener.act = [this](const DueAction &due) {
    if (!isReplay_ && options_.listener.act)
      options_.listener.act(due);
  };
  listener.looked = [this](Update update) {
    if (!isReplay_ && options_.listener.looked)
      options_.listener.looked(update);
  };
  checks_ = std::make_unique<CheckSet>(std::move(planned_), options_.facts,
                                       std::move(listener));
}

std::size_t CheckSink::samplesOf(Update update) const {
  std::size_t samples = 0;
  for (const Tap &tap : plan_->taps()) {
    if (!tap.schedule.isDue(update))
      continue;
    const bool isOfMicroBatch =
        tap.tensor.moment == graph::TapMoment::microBatch;
    samples +=
        options_.fold == Fold::together
            ? 1
            : options_.facts.replicas *
                  (isOfMicroBatch ? options_.facts.microBatchesPerUpdate : 1);
  }
  return samples;
}

std::uint32_t CheckSink::firstUnfinished() const {
  return *std::min_element(lastUpdates_.begin(), lastUpdates_.end());
}

void CheckSink::take(const Tap &tap, Update update,
                     const TensorSample &sample) {
  const Series *const series = checks_->seriesOf(tap.tensor, tap.origin);
  if (!series || (looked_ && !(*looked_ < update)))
    return;
  std::vector<Observed> &open = open_[update.value()];
  open.push_back({series, Observation(sample)});
  const bool isApart = tap.origin && options_.fold == Fold::apart;
  lastUpdates_.at(isApart ? tap.origin->replica : 0) = update.value();
  if (isRegular_ && open.size() >= samplesOf(update))
    look(update);
  else if (!isRegular_ && firstUnfinished() != 0)
    look(Update(firstUnfinished() - 1));
}

void CheckSink::look(Update last) {
  while (!open_.empty() && open_.begin()->first <= last.value()) {
    const Update update(open_.begin()->first);
    looked_ = update;
    checks_->look({update, std::move(open_.begin()->second)});
    open_.erase(open_.begin());
    mark(update);
  }
}

void CheckSink::mark(Update update) {
  const std::string lines = std::exchange(lines_, "");
  if (!options_.log)
    return;
  const summary::Step step(update.value());
  const summary::Tag group("tapped_checks");
  if (!lines.empty()) {
    const auto log = options_.log();
    log->text(summary::Tag("findings"), step, lines);
    for (const auto &[check, tensors] : found_)
      log->scalar(group / check, step, float(tensors));
  }
  for (const Check::Measure &measure : checks_->measures())
    options_.log()->scalar(group / measure.name, step, float(measure.value));
}

void CheckSink::flush() {
  if (!open_.empty())
    look(Update(open_.rbegin()->first));
}

} // namespace popscope::outfeed
