#include "host/record/run_page.hpp"

#include "host/record/chart_layout.hpp"
#include "host/record/hyperparameters.hpp"

#include <utility>

namespace popscope::host {

namespace {

// The page has no word for a training that was interrupted.
summary::SessionStatus statusOf(RunEnding ending) {
  switch (ending) {
  case RunEnding::completed:
    return summary::SessionStatus::success;
  case RunEnding::interrupted:
    return summary::SessionStatus::unknown;
  case RunEnding::failed:
    break;
  }
  return summary::SessionStatus::failure;
}

} // namespace

RunPage::RunPage(const RunDirectory &run,
                 std::shared_ptr<summary::EventWriter> log,
                 summary::Step firstUpdate, const RunDescription &description,
                 const std::deque<outfeed::Tap> &taps)
    : run_(run), log_(std::move(log)), firstUpdate_(firstUpdate) {
  log_->hparams(
      {hyperparameters(description.plan, description.dataDirectory), ""});
  log_->layout(chartLayout(taps));
  log_->text(summary::Tag("what_ran"), firstUpdate, describeRun(description));
  (void)log_->flush(); // reported by the run
}

RunPage::~RunPage() {
  if (!hasEnded_)
    end({RunEnding::failed, "by an error", {}, {}, {}}, firstUpdate_);
}

void RunPage::end(const RunHealth &health, summary::Step lastUpdate) {
  hasEnded_ = true;
  log_->text(summary::Tag("health"), lastUpdate, describeHealth(health));
  (void)log_->close(); // reported by the run
  run_.endLog()->sessionEnd({statusOf(health.ending)});
}

} // namespace popscope::host
