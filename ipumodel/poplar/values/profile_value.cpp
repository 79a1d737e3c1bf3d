#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>

#include <numeric>
#include <utility>

namespace poplar {
namespace {

const char *nameOf(ProfileValue::Type type) {
  switch (type) {
  case ProfileValue::Type::BOOL_:
    return "boolean";
  case ProfileValue::Type::STRING:
    return "string";
  case ProfileValue::Type::NUMBER:
    return "number";
  case ProfileValue::Type::VECTOR:
    return "vector";
  case ProfileValue::Type::MAP:
    return "map";
  }
  return "unknown";
}

template <class T, class Get>
T sum(const ProfileValue::Vector &values, Get get) {
  return std::accumulate(values.begin(), values.end(), T(0),
                         [&](T total, const ProfileValue &value) {
                           return total + (value.*get)();
                         });
}

} // namespace

ProfileValue::ProfileValue(Number value) : type_(Type::NUMBER) {
  value_.number = value;
}

ProfileValue::ProfileValue(String value) : type_(Type::STRING) {
  value_.string = new String(std::move(value));
}

ProfileValue::ProfileValue(Vector value) : type_(Type::VECTOR) {
  value_.vector = new Vector(std::move(value));
}

ProfileValue::ProfileValue(Map value) : type_(Type::MAP) {
  value_.map = new Map(std::move(value));
}

ProfileValue::ProfileValue(const ProfileValue &other) : type_(other.type_) {
  switch (type_) {
  case Type::BOOL_:
    value_.boolean = other.value_.boolean;
    break;
  case Type::STRING:
    value_.string = new String(*other.value_.string);
    break;
  case Type::NUMBER:
    value_.number = other.value_.number;
    break;
  case Type::VECTOR:
    value_.vector = new Vector(*other.value_.vector);
    break;
  case Type::MAP:
    value_.map = new Map(*other.value_.map);
    break;
  }
}

ProfileValue::ProfileValue(ProfileValue &&other) noexcept : ProfileValue() {
  swap(other);
}

ProfileValue &ProfileValue::operator=(const ProfileValue &other) {
  ProfileValue copy(other);
  swap(copy);
  return *this;
}

ProfileValue &ProfileValue::operator=(ProfileValue &&other) noexcept {
  swap(other);
  return *this;
}

ProfileValue::~ProfileValue() {
  switch (type_) {
  case Type::BOOL_:
  case Type::NUMBER:
    break;
  case Type::STRING:
    delete value_.string;
    break;
  case Type::VECTOR:
    delete value_.vector;
    break;
  case Type::MAP:
    delete value_.map;
    break;
  }
}

ProfileValue::Boolean ProfileValue::asBool() const {
  expect(Type::BOOL_);
  return value_.boolean;
}

const ProfileValue::String &ProfileValue::asString() const {
  expect(Type::STRING);
  return *value_.string;
}

std::int64_t ProfileValue::asInt() const {
  const double value = asDouble();
  if (!(value >= -0x1p63 && value < 0x1p63))
    throw overflow_error(std::to_string(value) + " is not a 64-bit integer");
  return std::int64_t(value);
}

std::uint64_t ProfileValue::asUint() const {
  const double value = asDouble();
  if (!(value > -1 && value < 0x1p64))
    throw overflow_error(std::to_string(value) +
                         " is not an unsigned 64-bit integer");
  return std::uint64_t(value);
}

double ProfileValue::asDouble() const {
  expect(Type::NUMBER);
  return value_.number;
}

const ProfileValue::Vector &ProfileValue::asVector() const {
  expect(Type::VECTOR);
  return *value_.vector;
}

const ProfileValue::Map &ProfileValue::asMap() const {
  expect(Type::MAP);
  return *value_.map;
}

const ProfileValue &ProfileValue::operator[](StringRef key) const {
  if (const ProfileValue *member = getOrNull(key))
    return *member;
  throw index_error("a map has no member '" + key + "'");
}

const ProfileValue *ProfileValue::getOrNull(StringRef key) const {
  const Map &members = asMap();
  const auto found = members.find(key);
  return found == members.end() ? nullptr : &found->second;
}

const ProfileValue &ProfileValue::operator[](std::size_t index) const {
  const Vector &elements = asVector();
  if (index >= elements.size())
    throw index_error("index " + std::to_string(index) + " into a vector of " +
                      std::to_string(elements.size()));
  return elements[index];
}

std::size_t ProfileValue::size() const {
  switch (type_) {
  case Type::STRING:
    return value_.string->size();
  case Type::VECTOR:
    return value_.vector->size();
  case Type::MAP:
    return value_.map->size();
  case Type::BOOL_:
  case Type::NUMBER:
    break;
  }
  throw type_error(std::string("a ") + nameOf(type_) + " has no size");
}

std::vector<std::uint64_t> ProfileValue::toUintVector() const {
  std::vector<std::uint64_t> values;
  for (const ProfileValue &element : asVector())
    values.push_back(element.asUint());
  return values;
}

double ProfileValue::sumDouble() const {
  return sum<double>(asVector(), &ProfileValue::asDouble);
}

std::int64_t ProfileValue::sumInt() const {
  return sum<std::int64_t>(asVector(), &ProfileValue::asInt);
}

std::uint64_t ProfileValue::sumUint() const {
  return sum<std::uint64_t>(asVector(), &ProfileValue::asUint);
}

std::int64_t ProfileValue::sum2DInt() const {
  return sum<std::int64_t>(asVector(), &ProfileValue::sumInt);
}

std::uint64_t ProfileValue::sum2DUint() const {
  return sum<std::uint64_t>(asVector(), &ProfileValue::sumUint);
}

bool ProfileValue::operator==(const ProfileValue &other) const {
  if (type_ != other.type_)
    return false;
  switch (type_) {
  case Type::BOOL_:
    return value_.boolean == other.value_.boolean;
  case Type::STRING:
    return *value_.string == *other.value_.string;
  case Type::NUMBER:
    return value_.number == other.value_.number;
  case Type::VECTOR:
    return *value_.vector == *other.value_.vector;
  case Type::MAP:
    return *value_.map == *other.value_.map;
  }
  return false;
}

bool ProfileValue::operator!=(const ProfileValue &other) const {
  return !(*this == other);
}

void ProfileValue::swap(ProfileValue &other) noexcept {
  std::swap(type_, other.type_);
  std::swap(value_, other.value_);
}

void ProfileValue::expect(Type type) const {
  if (type_ != type)
    throw type_error(std::string("a ") + nameOf(type_) + " was read as a " +
                     nameOf(type));
}

} // namespace poplar
