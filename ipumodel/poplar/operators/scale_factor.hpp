// A factor that is known when the program is built, or read from a one-element
// tensor when it runs.
#pragma once

#include "poplar/plan/native_kernel.hpp"

#include <optional>

namespace ipumodel {

class ScaleFactor {
public:
  explicit ScaleFactor(float constant) : constant_(constant) {}
  // `tensor` is FLOAT or HALF.
  ScaleFactor(float constant, const TensorData &tensor,
              const PlanBuilder &builder);
  float in(const Replica &replica) const;

private:
  float constant_;
  std::optional<std::size_t> offset_; // of the element, in memory
  bool isHalf_ = false;
};

} // namespace ipumodel
