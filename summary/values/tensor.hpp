// Arrays of any rank: of numbers, and of strings.
#pragma once

#include "summary/span.hpp"
#include "summary/values/value.hpp"

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace popscope::summary {

using Shape = std::vector<std::int64_t>;

// Number of elements. Throws std::invalid_argument on a negative dimension or
// if the product does not fit.
std::int64_t elementCount(const Shape &shape);

// The element types TensorBoard decodes without TensorFlow. The 8-bit floats
// and bfloat16 are not among them: convert those to float first.
enum class ElementType {
  float16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  boolean,
  complex64,
  complex128,
};

std::size_t elementBytes(ElementType type);
// TensorFlow's number for the type (its enum DataType).
int tensorFlowType(ElementType type);

template <class T> constexpr ElementType elementTypeOf();

// A view of elements in row-major order.
struct TensorView {
  ElementType type;
  Shape shape;
  const void *data;
};

template <class T> TensorView tensorView(Span<const T> elements, Shape shape) {
  return {elementTypeOf<T>(), std::move(shape), elements.data()};
}

// A tensor for a custom plugin, named in the metadata. TensorBoard's own pages
// do not show plain tensors; its data API and `popscope events` do.
Value toValue(const TensorView &tensor);
Value toValue(const TensorView &tensor, ValueMetadata metadata);

// Strings in row-major order; Shape() is a single string.
struct StringTensor {
  Shape shape;
  std::vector<std::string> elements;
};

Value toValue(const StringTensor &tensor, ValueMetadata metadata);

template <class T> constexpr ElementType elementTypeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return ElementType::boolean;
  else if constexpr (std::is_same_v<T, float>)
    return ElementType::float32;
  else if constexpr (std::is_same_v<T, double>)
    return ElementType::float64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return ElementType::complex64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return ElementType::complex128;
  else {
    static_assert(std::is_integral_v<T>, "no tensor element type for this");
    constexpr bool isSigned = std::is_signed_v<T>;
    switch (sizeof(T)) {
    case 1:
      return isSigned ? ElementType::int8 : ElementType::uint8;
    case 2:
      return isSigned ? ElementType::int16 : ElementType::uint16;
    case 4:
      return isSigned ? ElementType::int32 : ElementType::uint32;
    default:
      return isSigned ? ElementType::int64 : ElementType::uint64;
    }
  }
}

} // namespace popscope::summary
