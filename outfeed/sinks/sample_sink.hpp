// Who is told what the taps saw. All calls come from one thread.
#pragma once

#include "outfeed/tap_plan.hpp"
#include "outfeed/tensor_sample.hpp"
#include "summary/types.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace popscope::outfeed {

// How the crossing went.
struct TapReport {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
  std::uint64_t dropped = 0; // frames
  std::string error;         // the first; empty if all went well
};

class SampleSink {
public:
  virtual ~SampleSink() = default;

  // Before the first sample, if an earlier start of the program told of the
  // updates below this one; what it told of others is void.
  virtual void resume(Update firstUpdate) { (void)firstUpdate; }
  // One tensor at one update; updates of a tap increase. A tap has one address
  // throughout.
  virtual void take(const Tap &tap, Update update,
                    const TensorSample &sample) = 0;
  // The elements of a tap with payload full, in the host's form of its type;
  // valid during the call.
  virtual void takeElements(const Tap &tap, Update update,
                            const SampleOrigin &origin, const void *elements,
                            std::size_t bytes) {
    (void)tap, (void)update, (void)origin, (void)elements, (void)bytes;
  }
  // All samples of the updates so far have been given.
  virtual void flush() {}
  // No more will come.
  virtual void close(const TapReport &report) { (void)report; }
};

} // namespace popscope::outfeed
