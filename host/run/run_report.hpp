// What a run could not write. Every writer of the run reports here.
#pragma once

#include "summary/write_report.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

// What a loss does to the training; nothing that is written by then is lost.
enum class OnSummaryError { goOn, stop };

// What the steps of a report count, in words for the user.
enum class StepsAre { updates, epochs };

// All functions may be called from any thread.
class RunReport {
public:
  // `print` gets one line at a time.
  using Print = std::function<void(const std::string &line)>;
  RunReport(OnSummaryError policy, Print print);

  // All that the writer of `report.what` has lost so far; replaces what was
  // known of it. The first loss is printed at once. A report without losses
  // withdraws the earlier ones. Epochs count from 1.
  void update(const summary::WriteReport &report, StepsAre steps);
  // For a writer of its own thread: calls update. `firstEpoch` is the step at
  // which the writer has the first epoch. This report outlives the writer.
  summary::WriteListener ofUpdates();
  summary::WriteListener ofEpochs(std::int64_t firstEpoch);
  // Flushes what was printed; reports it as lost if it was not taken.
  void checkStandardOutput(std::ostream &out);
  // Prints a line about something that is not a loss.
  void note(const std::string &line);

  bool isWhole() const;
  // True from the first loss on, if the policy is to stop.
  bool asksToStop() const { return asksToStop_; }
  // Every loss, in one line; empty if there is none.
  std::string text() const;

private:
  struct Loss {
    summary::WriteReport report;
    StepsAre steps;
  };

  const OnSummaryError policy_;
  std::atomic<bool> asksToStop_{false};
  mutable std::mutex mutex_; // guards all below
  const Print print_;
  std::vector<Loss> losses_; // in the order of the first of each writer
};

// Why a file could not be written, without the names that the user knows.
std::string reasonOf(const std::exception &error);

// From now on a write to a pipe that nobody reads, or past the size that a file
// may have, fails instead of ending the process.
void turnWriteSignalsIntoErrors();

} // namespace popscope::host
