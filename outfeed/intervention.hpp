// A change of a tensor that somebody asked for while the program ran.
#pragma once

#include "codelets/intervention.hpp"
#include "outfeed/rules/tensor_traits.hpp"
#include "outfeed/rules/update_schedule.hpp"
#include "text/json_value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace popscope::outfeed {

// What is done to each element.
struct ElementChange {
  InterventionKind kind = InterventionKind::none;
  float amount = 0; // as in InterventionWords

  // "set to 0", "scaled by 0.5", "given noise of 0.01".
  std::string text() const;
};

struct Intervention {
  std::string tensor;
  graph::TapMoment moment = graph::TapMoment::microBatch;
  std::string tag; // of the tensor; its name if that is not known
  ElementChange change;
  Update first{0}, last{0};

  bool isAt(Update update) const {
    return !(update < first) && !(last < update);
  }
};

// "intervention at updates 12 to 21: conv_1_acts scaled by 0.5".
std::string lineOf(const Intervention &intervention);

// "a, b, c and 4 more".
std::string shortList(const std::vector<std::string> &names);

const char *nameOf(InterventionKind kind); // zero, scale, noise
// Throws std::invalid_argument for another name, and for an amount that is not
// finite, or below 0 for noise.
ElementChange parseChange(const std::string &kind, double amount);

std::string toJson(const Intervention &intervention);
// Throws std::invalid_argument if it is anything but that.
Intervention parseIntervention(const text::JsonValue &json);

// The seed of the noise in a tensor at an update.
std::uint32_t noiseSeed(std::uint32_t seedOfRun, const TensorTraits &tensor,
                        Update update);

} // namespace popscope::outfeed
