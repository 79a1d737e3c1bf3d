// Taps with a condition: the device judges their rows, and sends where it
// holds.
#pragma once

#include "graph/taps/device_stats.hpp"
#include "outfeed/program/tap_mask.hpp"
#include "outfeed/program/tap_stream.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// The limits of conditions that are judged together.
struct TapLimits {
  struct Range {
    TapId tap; // whose condition has them
    std::size_t first, count;
  };
  std::string handle; // of a host write of all of them, which are floats
  std::vector<Range> ranges;
};

class ArmedProgram {
public:
  // Handles begin with `name`.
  explicit ArmedProgram(std::string name) : name_(std::move(name)) {}

  struct Armed {
    const Tap &tap;
    poplar::Tensor row; // of the tier
    StatsTier tier;
    graph::ElementOrder order;
    poplar::Tensor elements; // to be sent, if the payload is full
  };
  // Where the rows of a unit are judged.
  struct Unit {
    graph::TapMoment moment;
    unsigned executionsPerUpdate;
    poplar::Tensor execution; // their number so far
    unsigned tile;
    poplar::Tensor recorderLastUpdate; // not valid if there is no recorder
  };
  using NewSource = std::function<TapSource &(
      const UpdateSchedule &, graph::TapMoment, const std::string &what)>;
  // Appends the judgement and, in branches, the transfers. Limits of taps under
  // control become part of the mask.
  void add(poplar::Graph &graph, const std::vector<Armed> &group,
           const Unit &unit, TapMask &mask, const NewSource &newSource,
           poplar::program::Sequence &prog);

  const std::vector<TapLimits> &limits() const { return limits_; }

private:
  static void addTransferOf(poplar::Graph &graph, const Armed &armed,
                            const poplar::Tensor &evidence, const Unit &unit,
                            TapSource &source, poplar::program::Sequence &prog);

  const std::string name_;
  std::vector<TapLimits> limits_;
};

} // namespace popscope::outfeed
