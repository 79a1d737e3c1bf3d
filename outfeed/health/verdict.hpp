// What went bad first, why, and what followed from it.
#pragma once

#include "outfeed/health/arrival.hpp"
#include "outfeed/health/cause.hpp"
#include "outfeed/instances.hpp"
#include "outfeed/tap_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace popscope::outfeed {

struct Verdict {
  TensorTraits tensor;
  Update update{0};
  SampleOrigin origin;
  bool hasMicroBatches = false; // more than one in an update
  ReplicaSlice slice;           // whose replicas are all watched
  TensorHealth health;
  std::vector<KnownInput> inputs;
  Cause cause;

  // Tensors that became bad later, in the order in which they did.
  struct Follower {
    std::string name;
    Update update{0};
  };
  static constexpr std::size_t kMostFollowers = 100;
  std::vector<Follower> followers;
  std::uint64_t moreFollowers = 0; // than are listed

  // Finite tensors that are computed from a bad one.
  struct Hider {
    std::string name;
    graph::Computation computation = graph::Computation::unknown;
    std::string input;
    TensorHealth hidden; // of the input
    Update update{0};
  };
  std::vector<Hider> hiders;

  // Of each replica that has had one, if there are several.
  std::vector<Arrival> arrivals;
};

// One line: tensor, place, elements, inputs, cause.
std::string firstLine(const Verdict &verdict);
// Lines about what followed, if anything did, about how it came into the
// replicas, and about each hider.
std::vector<std::string> laterLines(const Verdict &verdict);
// All of it as a JSON object on one line.
std::string toJson(const Verdict &verdict);

} // namespace popscope::outfeed
