// What went bad first, why, and what followed from it.
#pragma once

#include "outfeed/health/cause.hpp"
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
  // Whether there is more than one in an update.
  bool hasMicroBatches = false;
  bool hasReplicas = false;
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
};

// One line: tensor, place, elements, inputs, cause.
std::string firstLine(const Verdict &verdict);
// A line about what followed, if anything did, and one about each hider.
std::vector<std::string> laterLines(const Verdict &verdict);
// All of it as a JSON object on one line.
std::string toJson(const Verdict &verdict);

} // namespace popscope::outfeed
