// The largest and the lowest finite value of each element type.
#include "poplar/values/type_info.hpp"

#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace poplar {
namespace {

// On the supported platforms, long double represents 64-bit integers exactly.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64);

Wide maxOf(const Type &type) {
  if (type == FLOAT)
    return std::numeric_limits<float>::max();
  if (type == HALF)
    return 65504;
  if (type == QUARTER)
    return 240; // in its wider-mantissa format, F143, unscaled
  if (type == BOOL)
    return 1;
  const ipumodel::TypeInfo &info = ipumodel::infoOf(type);
  return std::exp2(Wide(8 * info.size - info.isSigned)) - 1;
}

Wide lowestOf(const Type &type) {
  const ipumodel::TypeInfo &info = ipumodel::infoOf(type);
  if (info.isFloat)
    return -maxOf(type);
  return info.isSigned ? -maxOf(type) - 1 : 0;
}

template <class T> T narrow(Wide limit, const Type &type) {
  if (limit > Wide(std::numeric_limits<T>::max()) ||
      limit < Wide(std::numeric_limits<T>::lowest()))
    throw overflow_error("a limit of type " + type.toString() +
                         " does not fit the requested type");
  return T(limit);
}

} // namespace

template <class T> T Target::getTypeLimitsMaxAs(const Type &type) const {
  return narrow<T>(maxOf(type), type);
}

template <class T> T Target::getTypeLimitsLowestAs(const Type &type) const {
  return narrow<T>(lowestOf(type), type);
}

#define INSTANTIATE(T)                                                         \
  template T Target::getTypeLimitsMaxAs<T>(const Type &) const;                \
  template T Target::getTypeLimitsLowestAs<T>(const Type &) const;

INSTANTIATE(char)
INSTANTIATE(signed char)
INSTANTIATE(unsigned char)
INSTANTIATE(short)
INSTANTIATE(unsigned short)
INSTANTIATE(int)
INSTANTIATE(unsigned int)
INSTANTIATE(long)
INSTANTIATE(unsigned long)
INSTANTIATE(long long)
INSTANTIATE(unsigned long long)
INSTANTIATE(float)
INSTANTIATE(double)

#undef INSTANTIATE

} // namespace poplar
