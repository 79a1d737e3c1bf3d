// Element types of tensors and vertex fields.
#pragma once

#include <poplar/IeeeHalf.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/StringRef.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>

namespace ipumodel {
struct TypeAccess;
}

namespace poplar {

// A handle, as cheap as an int. The constants below are initialised at compile
// time, so static initialisers of any translation unit may use them.
class Type {
public:
  // An invalid type, equal only to itself.
  constexpr Type() : code_(0) {}

  // The C spelling: "float", "unsigned int", "half".
  StringRef toString() const;
  bool isFloatingPoint() const;
  // True for QUARTER, whose values need a QuarterMetadata to be read.
  bool requiresMetadata() const;
  constexpr std::size_t hash() const { return code_; }

  constexpr bool operator==(const Type &other) const {
    return code_ == other.code_;
  }
  constexpr bool operator!=(const Type &other) const {
    return code_ != other.code_;
  }
  constexpr bool operator<(const Type &other) const {
    return code_ < other.code_;
  }

private:
  friend struct ::ipumodel::TypeAccess;
  explicit constexpr Type(std::uint8_t code) : code_(code) {}

  std::uint8_t code_;
};

// Prints toString().
std::ostream &operator<<(std::ostream &os, const Type &type);

extern Type BOOL;
extern Type CHAR;
extern Type UNSIGNED_CHAR;
extern Type SIGNED_CHAR;
extern Type UNSIGNED_SHORT;
extern Type SHORT;
extern Type UNSIGNED_INT;
extern Type INT;
extern Type UNSIGNED_LONG;
extern Type LONG;
extern Type UNSIGNED_LONGLONG;
extern Type LONGLONG;
extern Type QUARTER;
extern Type QUARTER_METADATA;
extern Type HALF;
extern Type FLOAT;

// equivalent_device_type<int>().value is INT, and so on.
template <typename T> struct equivalent_device_type;

#define POPLAR_DECLARE_EQUIV_TYPE(T1, T2)                                      \
  template <> struct equivalent_device_type<T1> { const Type &value = T2; };

POPLAR_DECLARE_EQUIV_TYPE(bool, BOOL)
POPLAR_DECLARE_EQUIV_TYPE(char, CHAR)
POPLAR_DECLARE_EQUIV_TYPE(unsigned char, UNSIGNED_CHAR)
POPLAR_DECLARE_EQUIV_TYPE(signed char, SIGNED_CHAR)
POPLAR_DECLARE_EQUIV_TYPE(unsigned short, UNSIGNED_SHORT)
POPLAR_DECLARE_EQUIV_TYPE(short, SHORT)
POPLAR_DECLARE_EQUIV_TYPE(unsigned int, UNSIGNED_INT)
POPLAR_DECLARE_EQUIV_TYPE(int, INT)
POPLAR_DECLARE_EQUIV_TYPE(unsigned long, UNSIGNED_LONG)
POPLAR_DECLARE_EQUIV_TYPE(long, LONG)
POPLAR_DECLARE_EQUIV_TYPE(unsigned long long, UNSIGNED_LONGLONG)
POPLAR_DECLARE_EQUIV_TYPE(long long, LONGLONG)
POPLAR_DECLARE_EQUIV_TYPE(IeeeHalf, HALF)
POPLAR_DECLARE_EQUIV_TYPE(float, FLOAT)

} // namespace poplar

namespace std {
template <> struct hash<poplar::Type> {
  size_t operator()(const poplar::Type &type) const { return type.hash(); }
};
} // namespace std
