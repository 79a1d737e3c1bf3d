// Conversion between host values and the elements of a device type.
#pragma once

#include <gccs/ArrayRef.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace poplar {

// `host` points at `count` values of the C++ type described by `hostType`,
// `device` at as many elements of `type`. Conversion to HALF and QUARTER rounds
// to nearest, ties to even. QUARTER without metadata is F143 with scale 0; a
// value out of range becomes NaN, or the largest value if `nanOnOverflow` is
// false.
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata,
                         const TypeTraits &hostType, const void *host,
                         std::size_t count, void *device,
                         bool nanOnOverflow = true);
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata,
                           const TypeTraits &hostType, const void *device,
                           std::size_t count, void *host);

template <class T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata,
                         const gccs::ArrayRef<T> &src, void *dst,
                         bool nanOnOverflow = true) {
  using Host = typename std::remove_const<T>::type;
  convertToDeviceType(type, metadata, TypeTraits::make<Host>(), src.data(),
                      src.size(), dst, nanOnOverflow);
}

template <class T>
void convertToDeviceType(const Type &type, const gccs::ArrayRef<T> &src,
                         void *dst) {
  convertToDeviceType(type, QuarterMetadata(), src, dst);
}

template <class T>
void convertToDeviceType(const Type &type, const std::vector<T> &src,
                         void *dst) {
  convertToDeviceType(type, gccs::ArrayRef<const T>(src), dst);
}

template <class T>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata,
                           const void *src, const gccs::ArrayRef<T> &dst) {
  convertFromDeviceType(type, metadata, TypeTraits::make<T>(), src, dst.size(),
                        dst.data());
}

template <class T>
void convertFromDeviceType(const Type &type, const void *src,
                           const gccs::ArrayRef<T> &dst) {
  convertFromDeviceType(type, QuarterMetadata(), src, dst);
}

template <class T>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata,
                           const void *src, std::vector<T> &dst) {
  convertFromDeviceType(type, metadata, src, gccs::ArrayRef<T>(dst));
}

template <class T>
void convertFromDeviceType(const Type &type, const void *src,
                           std::vector<T> &dst) {
  convertFromDeviceType(type, src, gccs::ArrayRef<T>(dst));
}

} // namespace poplar
