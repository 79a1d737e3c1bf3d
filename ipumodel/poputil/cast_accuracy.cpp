// The change of a value by a cast to HALF.
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>

namespace poputil {

double castToDeviceHalfValue(const poplar::Target &target, double input) {
  const float asFloat = static_cast<float>(input);
  std::vector<char> half(target.getTypeSize(poplar::HALF));
  poplar::copyFloatToDeviceHalf(target, &asFloat, half.data(), 1);
  float asHalf;
  poplar::copyDeviceHalfToFloat(target, half.data(), &asHalf, 1);
  return asHalf;
}

bool checkAccuracyWhenCast(const poplar::Target &target, double input,
                           poplar::Type inputType, poplar::Type outputType,
                           double tolerance) {
  if (inputType == poplar::HALF && outputType == poplar::FLOAT)
    return true;
  if (inputType != poplar::FLOAT || outputType != poplar::HALF)
    throw poplibs_error("checkAccuracyWhenCast: from " +
                        inputType.toString().cloneAsString() + " to " +
                        outputType.toString().cloneAsString() +
                        ", where only float and half can be compared");
  const float before = static_cast<float>(input);
  const double error = castToDeviceHalfValue(target, before) - before;
  return std::fabs(error) < std::fabs(before) * tolerance;
}

} // namespace poputil
