#include "poplar/operators/scale_factor.hpp"

#include "poplar/values/half.hpp"
#include "poplar/values/type_info.hpp"

#include <cstring>

namespace ipumodel {

ScaleFactor::ScaleFactor(float constant, const TensorData &tensor,
                         const PlanBuilder &builder)
    : constant_(constant),
      offset_(builder.contiguousOffset(tensor.view, sizeOf(tensor.type))),
      isHalf_(sizeOf(tensor.type) == 2) {}

float ScaleFactor::in(const Replica &replica) const {
  if (!offset_)
    return constant_;
  const char *at = replica.memory.data() + *offset_;
  if (isHalf_) {
    std::uint16_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return constant_ * halfToFloat(bits);
  }
  float value;
  std::memcpy(&value, at, sizeof(value));
  return constant_ * value;
}

} // namespace ipumodel
