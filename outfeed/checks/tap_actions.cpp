#include "outfeed/checks/tap_actions.hpp"

#include <algorithm>

namespace popscope::outfeed {

std::string filterOf(const TensorTraits &tensor) {
  return "name:\"" + tensor.name + "\" & at:" + nameOf(tensor.moment);
}

void TapActions::sample(const TensorTraits &tensor, Update now,
                        std::uint32_t updates) {
  const auto tap = std::find_if(
      plan_.taps().begin(), plan_.taps().end(), [&](const Tap &candidate) {
        return candidate.tensor.name == tensor.name &&
               candidate.tensor.moment == tensor.moment;
      });
  // Only a schedule that control can express can be put back.
  if (tap == plan_.taps().end() || tap->schedule.every <= 1 ||
      tap->schedule.from != 0 || !tap->schedule.updates.empty() ||
      tap->schedule.until != UpdateSchedule().until)
    return;
  const std::string filter = filterOf(tensor);
  const std::uint32_t until = now.value() + updates;
  const auto [raised, isNew] =
      raised_.emplace(filter, Raised{tap->schedule, until});
  raised->second.until = until;
  if (!isNew)
    return;
  ControlRequest request;
  request.enable = {filter};
  request.every = 1;
  control_.apply(request);
}

void TapActions::dump(const TensorTraits &tensor) {
  ControlRequest request;
  request.dump = {filterOf(tensor)};
  control_.apply(request);
}

void TapActions::act(const DueAction &due) {
  if (due.action == CheckAction::sample)
    sample(due.tensor, due.finding.last, due.sampleFor);
  else if (due.action == CheckAction::dump)
    dump(due.tensor);
}

void TapActions::advance(Update now) {
  for (auto raised = raised_.begin(); raised != raised_.end();) {
    if (now.value() < raised->second.until) {
      ++raised;
      continue;
    }
    ControlRequest request;
    request.enable = {raised->first};
    request.every = raised->second.before.every;
    control_.apply(request);
    raised = raised_.erase(raised);
  }
}

} // namespace popscope::outfeed
