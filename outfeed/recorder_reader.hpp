// Reads the rings of the flight recorder from the device.
#pragma once

#include "outfeed/frame_decoder.hpp"
#include "outfeed/tap_program.hpp"

#include <poplar/Engine.hpp>

#include <functional>
#include <vector>

namespace popscope::outfeed {

class RecorderReader {
public:
  // `plan` and `program` outlive the reader and are complete.
  RecorderReader(const TapPlan &plan, const TapProgram &program,
                 unsigned replicas)
      : plan_(plan), program_(program), replicas_(replicas),
        firstUnread_(program.rings().size(), 0) {}

  // Between runs: calls `take` for each row that was not read before, those of
  // a tap and replica in the order of their executions, and lets the recorder
  // go on.
  void read(poplar::Engine &engine,
            const std::function<void(const DecodedSample &)> &take);

private:
  void readRing(poplar::Engine &engine, std::size_t number,
                const std::function<void(const DecodedSample &)> &take);

  const TapPlan &plan_;
  const TapProgram &program_;
  const unsigned replicas_;
  std::vector<unsigned> firstUnread_; // execution, by ring
};

} // namespace popscope::outfeed
