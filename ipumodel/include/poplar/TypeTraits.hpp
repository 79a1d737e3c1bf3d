// A run-time description of a C++ type, so that values can be passed as void *.
#pragma once

#include <poplar/IeeeHalf.hpp>

#include <cstddef>
#include <type_traits>

namespace poplar {

struct TypeTraits {
  std::size_t size;
  std::size_t align;
  bool isIntegral;
  bool isFloat;
  bool isSigned;

  // Types that convert to and from device types.
  template <typename T> static constexpr bool isSimpleType() {
    return std::is_integral<T>::value || std::is_floating_point<T>::value ||
           std::is_same<T, IeeeHalf>::value;
  }
  bool isSimpleType() const { return isIntegral || isFloat; }

  template <typename T> static TypeTraits make() {
    const bool isHalf = std::is_same<T, IeeeHalf>::value;
    return {sizeof(T), alignof(T), std::is_integral<T>::value,
            std::is_floating_point<T>::value || isHalf,
            std::is_signed<T>::value || isHalf};
  }
};

} // namespace poplar
