// A JSON document, read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace popscope::text {

class JsonValue {
public:
  using Array = std::vector<JsonValue>;
  using Object = std::vector<std::pair<std::string, JsonValue>>;

  JsonValue() = default; // null
  template <class T> explicit JsonValue(T value) : value_(std::move(value)) {}

  bool isNull() const { return std::holds_alternative<std::monostate>(value_); }
  bool isObject() const { return std::holds_alternative<Object>(value_); }
  bool isArray() const { return std::holds_alternative<Array>(value_); }
  // The value if it is of that type, or else what is given.
  bool boolOr(bool other) const;
  double numberOr(double other) const;
  std::string stringOr(const std::string &other) const;
  // The value if it is a whole number from 0 to `most`, or else what is given.
  // Above 2^53 doubles have gaps.
  static constexpr std::uint64_t kMostCount = std::uint64_t(1) << 53;
  std::uint64_t countOr(std::uint64_t other,
                        std::uint64_t most = kMostCount) const;
  std::uint32_t count32Or(std::uint32_t other) const;
  const Array &items() const;    // empty if it is no array
  const Object &members() const; // empty if it is no object
  // The member of that name; a null if there is none.
  const JsonValue &operator[](std::string_view name) const;

private:
  friend std::string toJson(const JsonValue &value);

  std::variant<std::monostate, bool, double, std::string, Array, Object> value_;
};

// On one line, members in their order.
std::string toJson(const JsonValue &value);

// Throws std::invalid_argument that says where `text` is not JSON, or nested
// more than 100 deep.
JsonValue parseJson(std::string_view text);

} // namespace popscope::text
