// What TensorBoard shows of a run as a whole: the pages HParams, Text and
// Custom Scalars.
#pragma once

#include "host/record/run_text.hpp"
#include "host/run/run_directory.hpp"
#include "outfeed/tap_plan.hpp"
#include "summary/event_writer.hpp"

#include <deque>
#include <memory>

namespace popscope::host {

class RunPage {
public:
  // Writes what is known before the training begins to `log`, which is
  // run.log() of this first update. The run outlives the page.
  RunPage(const RunDirectory &run, std::shared_ptr<summary::EventWriter> log,
          summary::Step firstUpdate, const RunDescription &description,
          const std::deque<outfeed::Tap> &taps);
  ~RunPage(); // a training that did not end has failed
  RunPage(const RunPage &) = delete;
  RunPage &operator=(const RunPage &) = delete;

  // Writes how it went, and closes the log: nobody else may write to it.
  void end(const RunHealth &health, summary::Step lastUpdate);

private:
  const RunDirectory &run_;
  const std::shared_ptr<summary::EventWriter> log_;
  const summary::Step firstUpdate_;
  bool hasEnded_ = false;
};

} // namespace popscope::host
