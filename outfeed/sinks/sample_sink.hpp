// Where samples go: files, tables, a user's own program.
//
// Threads: a sink needs no lock. Its functions are called by two threads, the
// drain's and the one that calls TapSession, but never at the same time, and
// each call sees what the one before it did. After TapSession::sync and until
// the engine runs again no call is made, so that the owner of a sink may then
// use what else it offers.
#pragma once

#include "outfeed/control/control_request.hpp"
#include "outfeed/firing.hpp"
#include "outfeed/health/verdict.hpp"
#include "outfeed/tap_plan.hpp"
#include "outfeed/tensor_sample.hpp"
#include "summary/write_report.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace popscope::outfeed {

// What came from the device, and what was lost on the way.
struct TapReport {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dropped = 0; // frames
  double waited = 0.0;       // seconds; see FrameQueue
  std::uint64_t late = 0;    // samples; see SampleFold
  std::string error;         // of a damaged frame; empty if none was
  // Of the writers of sinks that lost something, and of sinks that threw: the
  // first error and the samples they did not get. Steps are updates.
  std::vector<summary::WriteReport> losses;

  bool isWhole() const {
    return dropped == 0 && late == 0 && error.empty() && losses.empty();
  }
};

// A tensor that went bad, and what it was computed from; see DumpProgram.
struct DumpedTensors {
  struct Part {
    const TensorTraits &tensor;
    const std::byte *elements; // in the host's form of its type
  };
  const TensorTraits &bad;
  unsigned replica;
  std::vector<Part> parts;
};

// A sink that throws is called no more; the others are.
class SampleSink {
public:
  virtual ~SampleSink() = default;

  // Whether it also gets the samples of taps that are there only for the health
  // of the program: those of TapPlan::alarms.
  virtual bool wantsAlarms() const { return false; }
  // Once, before any other call: the plan is complete. It outlives the sink.
  virtual void begin(const TapPlan &plan) { (void)plan; }
  // Before the first sample, if an earlier start of the program wrote the
  // updates before this one. What it wrote of this one and later ones is void.
  virtual void resume(Update firstUpdate) { (void)firstUpdate; }
  // One tensor at one update; the updates of a tap never decrease. A tap keeps
  // its address.
  virtual void take(const Tap &tap, Update update,
                    const TensorSample &sample) = 0;
  // What the flight recorder kept: statistics of a tensor at an update, of
  // which no sample was given. The updates of a tap never decrease, but may be
  // before those that `take` had.
  virtual void takeRecorded(const Tap &tap, Update update,
                            const TensorSample &sample) {
    (void)tap, (void)update, (void)sample;
  }
  // The elements of a tap with payload full, in the host's form of its type;
  // valid during the call. Not folded: one call for each transfer.
  virtual void takeElements(const Tap &tap, Update update,
                            const SampleOrigin &origin, const void *elements,
                            std::size_t bytes) {
    (void)tap, (void)update, (void)origin, (void)elements, (void)bytes;
  }
  // Before the sample, whenever the condition of its rule holds.
  virtual void takeFiring(const Firing &firing) { (void)firing; }
  // With TapOptions::dump, at the first time that a tensor is not finite,
  // before a verdict on it; one call for each type of elements among them.
  // Valid during the call.
  virtual void takeDump(const DumpedTensors &dumped) { (void)dumped; }
  // Once, if health is watched and a tensor is not finite: which was the first,
  // and what followed in the same update.
  virtual void takeVerdict(const Verdict &verdict) { (void)verdict; }
  // With live control: taps were turned on or off from this update on. It comes
  // before their samples, but not always right after the update before.
  virtual void takeChange(const ControlNote &note) { (void)note; }
  // All samples so far have been given.
  virtual void flush() {}
  // No more will come.
  virtual void close(const TapReport &report) { (void)report; }
  // What each writer of this sink could not write so far, whole ones included.
  // Asked when no other call is under way.
  virtual std::vector<summary::WriteReport> reports() const { return {}; }
};

} // namespace popscope::outfeed
