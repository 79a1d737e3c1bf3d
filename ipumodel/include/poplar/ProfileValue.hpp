// A tree of values, like a JSON document, for debug information and options.
#pragma once

#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace poplar {

// Numbers are doubles, so integers are exact up to 2^53. Accessing a value as
// another type throws type_error.
class ProfileValue {
public:
  enum class Type { BOOL_, STRING, NUMBER, VECTOR, MAP };
  using Boolean = bool;
  using Number = double;
  using String = std::string;
  using Vector = std::vector<ProfileValue>;
  using Map = std::map<std::string, ProfileValue>;

  ProfileValue() : ProfileValue(Number(0)) {}
  ProfileValue(Number value);
  ProfileValue(String value);
  ProfileValue(const char *value) : ProfileValue(String(value)) {}
  ProfileValue(Vector value);
  ProfileValue(Map value);
  // Templates, so that pointers do not convert to Boolean nor Booleans to
  // Number.
  template <class T, typename std::enable_if<std::is_same<T, Boolean>::value,
                                             int>::type = 0>
  ProfileValue(T value) : type_(Type::BOOL_) {
    value_.boolean = value;
  }
  template <class T,
            typename std::enable_if<std::is_integral<T>::value &&
                                        !std::is_same<T, Boolean>::value,
                                    int>::type = 0>
  ProfileValue(T value) : ProfileValue(Number(value)) {}

  ProfileValue(const ProfileValue &other);
  ProfileValue(ProfileValue &&other) noexcept;
  ProfileValue &operator=(const ProfileValue &other);
  ProfileValue &operator=(ProfileValue &&other) noexcept;
  ~ProfileValue();

  Type type() const { return type_; }
  Boolean asBool() const;
  const String &asString() const;
  std::int64_t asInt() const;
  std::uint64_t asUint() const;
  double asDouble() const;
  const Vector &asVector() const;
  const Map &asMap() const;

  // Member of a map; throws index_error if there is none.
  const ProfileValue &operator[](StringRef key) const;
  const ProfileValue *getOrNull(StringRef key) const;
  // Element of a vector; throws index_error if there is none.
  const ProfileValue &operator[](std::size_t index) const;
  // Number of elements of a vector, members of a map, characters of a string.
  std::size_t size() const;

  // For a vector of numbers, or (2D) a vector of vectors of numbers.
  std::vector<std::uint64_t> toUintVector() const;
  double sumDouble() const;
  std::int64_t sumInt() const;
  std::uint64_t sumUint() const;
  std::int64_t sum2DInt() const;
  std::uint64_t sum2DUint() const;

  bool operator==(const ProfileValue &other) const;
  bool operator!=(const ProfileValue &other) const;

private:
  void swap(ProfileValue &other) noexcept;
  void expect(Type type) const;

  Type type_;
  union Value { // type_ says which member is set
    Boolean boolean;
    Number number;
    String *string;
    Vector *vector;
    Map *map;
  } value_;
};

void serializeToJSON(std::ostream &out, const ProfileValue &value,
                     bool prettyPrint = false);
// withTag writes the tag that marks a file as CBOR first.
void serializeToCBOR(std::ostream &out, const ProfileValue &value,
                     bool withTag = true);
// JSON on one line.
std::ostream &operator<<(std::ostream &os, const ProfileValue &value);

} // namespace poplar
