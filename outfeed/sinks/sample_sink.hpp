// Who is told what the taps saw. All calls come from one thread.
#pragma once

#include "outfeed/tap_plan.hpp"
#include "outfeed/tensor_sample.hpp"
#include "summary/types.hpp"
#include "summary/write_report.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace popscope::outfeed {

// How the transfer from the device went.
struct TapReport {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dropped = 0; // frames
  std::string error;         // the first; empty if all went well
  // Of the sinks' writers that lost something.
  std::vector<summary::WriteReport> losses{};
};

class SampleSink {
public:
  virtual ~SampleSink() = default;

  // Before the first sample, if an earlier start of the program told of the
  // steps below this one; what it told of others is void.
  virtual void resume(summary::Step firstStep) { (void)firstStep; }
  // One tensor at one step; steps of a tap increase. A tap has one address
  // throughout.
  virtual void take(const Tap &tap, summary::Step step,
                    const TensorSample &sample) = 0;
  // The elements of a tap with payload full, in the host's form of its type;
  // valid during the call.
  virtual void takeElements(const Tap &tap, summary::Step step,
                            const SampleOrigin &origin, const void *elements,
                            std::size_t bytes) {
    (void)tap, (void)step, (void)origin, (void)elements, (void)bytes;
  }
  // All samples of the steps so far have been given.
  virtual void flush() {}
  // No more will come.
  virtual void close(const TapReport &report) { (void)report; }
  // What each writer of this sink could not write so far, whole ones included.
  // Asked when no other call is under way.
  virtual std::vector<summary::WriteReport> reports() const { return {}; }
};

} // namespace popscope::outfeed
