// Why a tensor has elements that are not finite, where arithmetic tells it.
#pragma once

#include "outfeed/health/tensor_health.hpp"
#include "outfeed/rules/tensor_traits.hpp"

#include <optional>
#include <string>
#include <vector>

namespace popscope::outfeed {

// A tensor that the bad one is computed from.
struct KnownInput {
  std::string name;
  std::optional<TensorHealth> health; // absent if it is not known
  bool fromBefore = false; // its value is from before the first update
};

enum class CauseKind {
  unknown,
  overflow,
  divisionByZero,
  zeroByZero,
  logOfZero,
  logOfNegative,
  infMinusInf,
  infTimesZero,
  inData,
  inCheckpoint,
  injected,
  intervened,
  passedOn // an input was bad already
};

struct Cause {
  CauseKind kind = CauseKind::unknown;
  std::string text; // such as "overflow of half (65504)"
};

// `tensor` has bad elements. `inputs` are in the order of its derivation, each
// in its place; after them may come what unknown ones are computed from.
Cause causeOf(const TensorTraits &tensor, const TensorHealth &health,
              const std::vector<KnownInput> &inputs);

} // namespace popscope::outfeed
