// A tensor of a sample log: what the log says of it once.
#pragma once

#include "outfeed/tap_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::outfeed {

struct LoggedTensor {
  std::string tag;  // see tagOf
  std::string kind; // as rules spell it; so is the moment
  std::string at;
  std::string dtype;
  std::vector<std::size_t> shape;
  std::uint32_t position = 0; // among the taps, in the order of the program
  // If the samples of an update are kept apart.
  std::optional<SampleOrigin> origin;
  double scale = 1; // see SampleDigest

  std::uint64_t elements() const;
};

// Whether the program completes `a` before `b` within an update. Of samples
// that are kept apart, those of a micro-batch come before those of the next.
bool isBefore(const LoggedTensor &a, const LoggedTensor &b);

// Gradients of a micro-batch carry the loss scale.
LoggedTensor loggedTensor(const Tap &tap, double lossScale);
std::string toJson(const LoggedTensor &tensor);
// Throws std::invalid_argument if it is none.
LoggedTensor parseLoggedTensor(std::string_view json);

} // namespace popscope::outfeed
