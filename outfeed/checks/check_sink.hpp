// Makes checks while a program runs.
#pragma once

#include "outfeed/checks/check_set.hpp"
#include "outfeed/drain/sample_fold.hpp"
#include "outfeed/sinks/event_sink.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

struct CheckSinkOptions {
  // Of the program, without its tensors: the plan has them.
  ProgramFacts facts;
  Fold fold = Fold::together; // that of the session
  // If given, every finding is marked there: as the text `findings`, and the
  // number of tensors that a check has found so far as a scalar
  // tapped_checks/NAME. Measures of checks are scalars there, too.
  EventSink::WriterSource log;
  CheckSet::Listener listener; // called by the thread that calls the sink
};

// An update is checked as soon as all its samples are there, or, if some never
// come, with the next one that is complete. With taps that have a condition, or
// once control has changed any, nobody knows how many there will be: an update
// is then checked when every replica has sent a sample of a later one.
class CheckSink : public SampleSink {
public:
  CheckSink(std::vector<PlannedCheck> checks, CheckSinkOptions options);

  void begin(const TapPlan &plan) override;
  void take(const Tap &tap, Update update, const TensorSample &sample) override;
  // Schedules are no longer those of the plan.
  void takeChange(const ControlNote &) override { isRegular_ = false; }
  void flush() override;

  // Before the first sample: what an earlier start of the program observed, so
  // that running means and counts go on. Its findings are not marked again.
  template <class Replay> void replay(const Replay &give) {
    isReplay_ = true;
    give(options_.facts, *checks_);
    isReplay_ = false;
  }

  // When no other call is under way; null before begin.
  const CheckSet *checks() const { return checks_.get(); }

private:
  std::size_t samplesOf(Update update) const;
  // The update that some replica is still in, as far as its samples tell.
  std::uint32_t firstUnfinished() const;
  void look(Update last); // at this update and those before
  void mark(Update update);

  std::vector<PlannedCheck> planned_; // until begin
  CheckSinkOptions options_;
  const TapPlan *plan_ = nullptr;
  bool isRegular_ = true;                  // every tap sends whenever it is due
  std::vector<std::uint32_t> lastUpdates_; // of each replica that is apart
  std::unique_ptr<CheckSet> checks_;
  bool isReplay_ = false;
  std::map<std::uint32_t, std::vector<Observed>> open_; // by update
  std::optional<Update> looked_;                        // the last one
  std::map<std::string, std::size_t> found_;            // tensors, by check
  std::string lines_; // of the findings of an update
};

} // namespace popscope::outfeed
