// Reads the rings of the flight recorder from the device.
#pragma once

#include "outfeed/drain/frame_decoder.hpp"
#include "outfeed/instances.hpp"
#include "outfeed/program/tap_program.hpp"

#include <poplar/Engine.hpp>

#include <functional>
#include <vector>

namespace popscope::outfeed {

class RecorderReader {
public:
  // All outlive the reader; `plan` and `program` are complete.
  RecorderReader(const TapPlan &plan, const TapProgram &program,
                 Instances &instances)
      : plan_(plan), program_(program), instances_(instances),
        firstUnread_(program.rings().size(), 0) {}

  // Between runs, by all instances: the first one calls `take` for each row of
  // all that was not read before, those of a tap and replica in the order of
  // their executions. Lets the recorder go on.
  void read(poplar::Engine &engine,
            const std::function<void(const DecodedSample &)> &take);

private:
  void readRing(poplar::Engine &engine, std::size_t number,
                const std::function<void(const DecodedSample &)> &take);

  const TapPlan &plan_;
  const TapProgram &program_;
  Instances &instances_;
  std::vector<unsigned> firstUnread_; // execution, by ring
};

} // namespace popscope::outfeed
