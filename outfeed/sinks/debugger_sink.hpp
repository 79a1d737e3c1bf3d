// Samples for TensorBoard's page Debugger V2: timeline, alerts, and the health
// of each tensor.
#pragma once

#include "outfeed/rules/tensor_filter.hpp"
#include "outfeed/sinks/sample_sink.hpp"
#include "summary/debugger/debugger_log.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace popscope::outfeed {

// An op of the page is a tensor of the plan, and an execution is an update.
// Tensors are written update by update in the order of the program, so that the
// first alert is about the first bad tensor; those of an update are written
// once samples of the second update after it are there. A payload alarm whose
// numbers are those of the update before is left out, unless some tensor of the
// update has just become bad, or finite again: then the page can show what the
// tensor was computed from.
//
// The files are made with the first sample, directly in `directory`, which is
// what TensorBoard's --logdir has to name.
class DebuggerSink : public SampleSink {
public:
  // The page does not learn of infinities that are intended, since it would
  // alert; they count as the numbers of their sign.
  explicit DebuggerSink(std::string directory,
                        summary::WriteListener onLoss = {},
                        std::vector<TensorFilter> infinitiesIntended = {});

  bool wantsAlarms() const override { return true; }
  void begin(const TapPlan &plan) override;
  void resume(Update firstUpdate) override { resumed_ = firstUpdate; }
  void take(const Tap &tap, Update update, const TensorSample &sample) override;
  void flush() override;
  void close(const TapReport &report) override;
  std::vector<summary::WriteReport> reports() const override;

private:
  struct Known {
    TapId tap;
    Payload payload;
    summary::HealthCounts health;
  };
  using OfUpdate = std::vector<std::optional<Known>>; // by op

  std::size_t opOf(const Tap &tap);
  summary::HealthCounts healthOf(const Tap &tap,
                                 const TensorSample &sample) const;
  // Whether its tensor was not known before, or bad if it is finite now, or
  // finite if it is bad.
  bool hasTurned(std::size_t op, const Known &known) const;
  void writeFirst(); // of the open updates
  summary::DebuggerLog &log();

  const std::string directory_;
  const summary::WriteListener onLoss_;
  const std::vector<TensorFilter> infinitiesIntended_;
  std::optional<Update> resumed_;
  summary::DebuggedProgram program_;
  std::unordered_map<std::string, std::size_t> opOfTag_;
  std::unordered_map<const Tap *, std::size_t> opOfTap_;
  std::map<std::uint32_t, OfUpdate> open_;                 // by update
  std::vector<std::optional<summary::HealthCounts>> last_; // by op
  std::unique_ptr<summary::DebuggerLog> log_;
};

// What the page shows of a plan: its tensors, and a source text of a line each.
summary::DebuggedProgram debuggedProgram(const TapPlan &plan);

} // namespace popscope::outfeed
