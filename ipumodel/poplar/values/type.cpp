#include "poplar/values/type_info.hpp"

#include <poplar/Type.hpp>
#include <poplar/exceptions.hpp>

#include <ostream>

namespace ipumodel {
namespace {

// In the order of TypeCode.
constexpr TypeInfo kTypes[] = {
    {"<invalid>", 0, false, false, false},
    {"bool", 1, true, false, false},
    {"char", 1, true, false, true},
    {"unsigned char", 1, true, false, false},
    {"signed char", 1, true, false, true},
    {"unsigned short", 2, true, false, false},
    {"short", 2, true, false, true},
    {"unsigned int", 4, true, false, false},
    {"int", 4, true, false, true},
    {"unsigned long", 8, true, false, false},
    {"long", 8, true, false, true},
    {"unsigned long long", 8, true, false, false},
    {"long long", 8, true, false, true},
    {"quarter", 1, false, true, true},
    {"quarter_metadata", 1, true, false, false},
    {"half", 2, false, true, true},
    {"float", 4, false, true, true},
};
constexpr std::size_t kNumTypes = sizeof kTypes / sizeof *kTypes;
static_assert(kNumTypes == std::size_t(TypeCode::float32) + 1);

const TypeInfo &entryOf(poplar::Type type) {
  return kTypes[std::size_t(codeOf(type))];
}

} // namespace

const TypeInfo &infoOf(poplar::Type type) {
  if (type == poplar::Type())
    throw poplar::type_error("invalid element type");
  return entryOf(type);
}

std::optional<poplar::Type> typeFromName(std::string_view name) {
  for (std::size_t code = 1; code < kNumTypes; ++code)
    if (kTypes[code].name == name)
      return TypeAccess::make(TypeCode(code));
  return std::nullopt;
}

} // namespace ipumodel

namespace poplar {

using ipumodel::TypeAccess;
using ipumodel::TypeCode;

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): programs
// bind these names to Type &, as the SDK declares them
Type BOOL = TypeAccess::make(TypeCode::boolean);
Type CHAR = TypeAccess::make(TypeCode::character);
Type UNSIGNED_CHAR = TypeAccess::make(TypeCode::unsignedChar);
Type SIGNED_CHAR = TypeAccess::make(TypeCode::signedChar);
Type UNSIGNED_SHORT = TypeAccess::make(TypeCode::unsignedShort);
Type SHORT = TypeAccess::make(TypeCode::signedShort);
Type UNSIGNED_INT = TypeAccess::make(TypeCode::unsignedInt);
Type INT = TypeAccess::make(TypeCode::signedInt);
Type UNSIGNED_LONG = TypeAccess::make(TypeCode::unsignedLong);
Type LONG = TypeAccess::make(TypeCode::signedLong);
Type UNSIGNED_LONGLONG = TypeAccess::make(TypeCode::unsignedLongLong);
Type LONGLONG = TypeAccess::make(TypeCode::signedLongLong);
Type QUARTER = TypeAccess::make(TypeCode::quarter);
Type QUARTER_METADATA = TypeAccess::make(TypeCode::quarterMetadata);
Type HALF = TypeAccess::make(TypeCode::half);
Type FLOAT = TypeAccess::make(TypeCode::float32);
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

StringRef Type::toString() const {
  const auto name = ipumodel::entryOf(*this).name;
  return {name.data(), name.size()};
}

bool Type::isFloatingPoint() const { return ipumodel::entryOf(*this).isFloat; }

bool Type::requiresMetadata() const { return *this == QUARTER; }

std::ostream &operator<<(std::ostream &os, const Type &type) {
  return os << type.toString();
}

} // namespace poplar
