// Properties of the element types, and conversion of values.
#pragma once

#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ipumodel {

// The values of poplar::Type, for switches. Stored in executables: do not
// renumber.
enum class TypeCode : std::uint8_t {
  invalid,
  boolean,
  character,
  unsignedChar,
  signedChar,
  unsignedShort,
  signedShort,
  unsignedInt,
  signedInt,
  unsignedLong,
  signedLong,
  unsignedLongLong,
  signedLongLong,
  quarter,
  quarterMetadata,
  half,
  float32
};

struct TypeAccess {
  static constexpr poplar::Type make(TypeCode code) {
    return poplar::Type(std::uint8_t(code));
  }
  static constexpr TypeCode code(poplar::Type type) {
    return TypeCode(type.code_);
  }
};

constexpr TypeCode codeOf(poplar::Type type) { return TypeAccess::code(type); }

// See base/binary_io.hpp.
template <class Io> void transfer(Io &io, poplar::Type &type) {
  TypeCode code = codeOf(type);
  io.choice(code, TypeCode::float32);
  type = TypeAccess::make(code);
}

struct TypeInfo {
  std::string_view name; // the C spelling
  std::size_t size;      // in bytes on the device
  bool isIntegral;       // BOOL and QUARTER_METADATA count as integral
  bool isFloat;
  bool isSigned;
};

// Throws type_error for the invalid type.
const TypeInfo &infoOf(poplar::Type type);
inline std::size_t sizeOf(poplar::Type type) { return infoOf(type).size; }

// Finds a type by its C spelling ("float", "unsigned int", "half"); empty if
// there is none.
std::optional<poplar::Type> typeFromName(std::string_view name);

// What to do with a value that the device type cannot represent.
enum class OnOverflow {
  wrap, // integers wrap as in C++, floats saturate in integers, QUARTER -> NaN
  saturate, // as wrap, but QUARTER takes its largest value
  fail      // integers throw overflow_error naming value and type
};

// `host` points at `count` values of the C++ type that `hostType` describes,
// `device` at as many elements of `type`; neither needs to be aligned. Floats
// are truncated towards zero when converted to integers, and rounded to
// nearest, ties to even, when converted to narrower floats. Throws type_error
// if either type is not a number.
void convertToDevice(poplar::Type type, const poplar::TypeTraits &hostType,
                     const void *host, std::size_t count, void *device,
                     OnOverflow onOverflow = OnOverflow::wrap,
                     const poplar::QuarterMetadata &metadata = {});
void convertFromDevice(poplar::Type type, const poplar::TypeTraits &hostType,
                       const void *device, std::size_t count, void *host,
                       const poplar::QuarterMetadata &metadata = {});

} // namespace ipumodel
