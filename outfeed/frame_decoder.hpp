// Frames -> samples, one per tap.
#pragma once

#include "outfeed/frame.hpp"
#include "outfeed/sample_sink.hpp"
#include "outfeed/tap_program.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace popscope::outfeed {

enum class FrameError { none, wrongSize, wrongVersion, wrongSource };

const char *describe(FrameError error);

struct DecodedSample {
  const Tap &tap;
  summary::Step step;
  SampleOrigin origin;
  TensorSample sample;
  const void *elements = nullptr; // of a full tensor, and their bytes
  std::size_t bytes = 0;
};

class FrameDecoder {
public:
  // Both outlive the decoder and are complete. Steps begin at `firstStep`.
  FrameDecoder(const TapPlan &plan, const TapProgram &program,
               unsigned replicas, std::int64_t firstStep);

  void setFirstStep(std::int64_t step) { firstStep_ = step; }

  // Calls `take` for each sample, unless the frame is damaged.
  [[nodiscard]] FrameError
  decode(const Frame &frame,
         const std::function<void(const DecodedSample &)> &take);

private:
  FrameError decodeRecords(const TapSource &source, const Frame &frame,
                           const std::function<void(const DecodedSample &)> &);
  FrameError decodeFull(const TapSource &source, const Frame &frame,
                        const std::function<void(const DecodedSample &)> &);

  const TapPlan &plan_;
  const TapProgram &program_;
  const unsigned replicas_;
  std::int64_t firstStep_;
  // Frames of each full stream and replica; their steps follow from the
  // schedule, since nothing but the elements is sent.
  std::vector<std::uint64_t> arrived_;
};

} // namespace popscope::outfeed
