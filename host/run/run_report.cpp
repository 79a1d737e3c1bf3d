#include "host/run/run_report.hpp"

#include "summary/records/byte_sink.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <csignal>
#include <poll.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace popscope::host {

namespace {

// " (lost 3 records, 120 bytes, from epoch 2)", or less if less is known.
std::string extentOf(const summary::WriteReport &report, StepsAre steps) {
  std::string text;
  if (report.lostRecords != 0)
    text += " " + text::counted(report.lostRecords, "record");
  if (report.lostBytes != 0)
    text += ", " + text::counted(report.lostBytes, "byte");
  if (report.firstLost)
    text += (text.empty() ? " from " : ", from ") +
            std::string(steps == StepsAre::epochs ? "epoch " : "update ") +
            std::to_string(report.firstLost->value());
  return text.empty() ? "" : " (lost" + text + ")";
}

// A stream does not say why it failed.
std::string whyStandardOutputFailed() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  const bool isGone = ::poll(&output, 1, 0) > 0 &&
                      (unsigned(output.revents) & unsigned(POLLERR)) != 0;
  return isGone ? std::string(describe(summary::SinkError::noReader))
                : "cannot be written";
}

} // namespace

RunReport::RunReport(OnSummaryError policy, Print print)
    : policy_(policy), print_(std::move(print)) {}

void RunReport::update(const summary::WriteReport &report, StepsAre steps) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known =
      std::find_if(losses_.begin(), losses_.end(), [&](const Loss &loss) {
        return loss.report.what == report.what;
      });
  const bool isNew = known == losses_.end();
  if (report.isWhole()) {
    if (!isNew)
      losses_.erase(known);
    return;
  }
  if (!isNew) {
    *known = {report, steps};
    return;
  }
  losses_.push_back({report, steps});
  const bool stops = policy_ == OnSummaryError::stop;
  print_(report.what + ": " + report.error +
         (stops ? "; stopping, as --on-summary-error stop asks" : ""));
  asksToStop_ = stops;
}

summary::WriteListener RunReport::ofUpdates() {
  return [this](const summary::WriteReport &report) {
    update(report, StepsAre::updates);
  };
}

summary::WriteListener RunReport::ofEpochs(std::int64_t firstEpoch) {
  return [this, firstEpoch](summary::WriteReport report) {
    if (report.firstLost)
      report.firstLost =
          summary::Step(report.firstLost->value() - firstEpoch + 1);
    update(report, StepsAre::epochs);
  };
}

void RunReport::checkStandardOutput(std::ostream &out) {
  if (out.flush())
    return;
  summary::WriteReport report;
  report.what = "standard output";
  report.error = whyStandardOutputFailed();
  update(report, StepsAre::epochs);
}

void RunReport::note(const std::string &line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  print_(line);
}

bool RunReport::isWhole() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return losses_.empty();
}

std::string RunReport::text() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  for (const auto &[report, steps] : losses_)
    text += (text.empty() ? "not everything was written: " : "; ") +
            report.what + ": " + report.error + extentOf(report, steps);
  return text;
}

std::string reasonOf(const std::exception &error) {
  const auto *const system = dynamic_cast<const std::system_error *>(&error);
  return system ? system->code().message() : error.what();
}

void turnWriteSignalsIntoErrors() {
  for (const int signal : {SIGPIPE, SIGXFSZ})
    std::signal(signal, SIG_IGN);
}

} // namespace popscope::host
