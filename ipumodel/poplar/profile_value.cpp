#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>

#include <cstring>
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
  number_ = value;
}

ProfileValue::ProfileValue(String value) : type_(Type::STRING) {
  string_ = new String(std::move(value));
}

ProfileValue::ProfileValue(Vector value) : type_(Type::VECTOR) {
  vector_ = new Vector(std::move(value));
}

ProfileValue::ProfileValue(Map value) : type_(Type::MAP) {
  map_ = new Map(std::move(value));
}

ProfileValue::ProfileValue(const ProfileValue &other) : type_(other.type_) {
  switch (type_) {
  case Type::BOOL_:
    boolean_ = other.boolean_;
    break;
  case Type::STRING:
    string_ = new String(*other.string_);
    break;
  case Type::NUMBER:
    number_ = other.number_;
    break;
  case Type::VECTOR:
    vector_ = new Vector(*other.vector_);
    break;
  case Type::MAP:
    map_ = new Map(*other.map_);
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
    delete string_;
    break;
  case Type::VECTOR:
    delete vector_;
    break;
  case Type::MAP:
    delete map_;
    break;
  }
}

ProfileValue::Boolean ProfileValue::asBool() const {
  expect(Type::BOOL_);
  return boolean_;
}

const ProfileValue::String &ProfileValue::asString() const {
  expect(Type::STRING);
  return *string_;
}

std::int64_t ProfileValue::asInt() const {
  const double value = asDouble();
  if (!(value >= -0x1p63 && value < 0x1p63))
    throw overflow_error(std::to_string(value) + " is no 64-bit integer");
  return std::int64_t(value);
}

std::uint64_t ProfileValue::asUint() const {
  const double value = asDouble();
  if (!(value > -1 && value < 0x1p64))
    throw overflow_error(std::to_string(value) +
                         " is no unsigned 64-bit integer");
  return std::uint64_t(value);
}

double ProfileValue::asDouble() const {
  expect(Type::NUMBER);
  return number_;
}

const ProfileValue::Vector &ProfileValue::asVector() const {
  expect(Type::VECTOR);
  return *vector_;
}

const ProfileValue::Map &ProfileValue::asMap() const {
  expect(Type::MAP);
  return *map_;
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
    return string_->size();
  case Type::VECTOR:
    return vector_->size();
  case Type::MAP:
    return map_->size();
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
    return boolean_ == other.boolean_;
  case Type::STRING:
    return *string_ == *other.string_;
  case Type::NUMBER:
    return number_ == other.number_;
  case Type::VECTOR:
    return *vector_ == *other.vector_;
  case Type::MAP:
    return *map_ == *other.map_;
  }
  return false;
}

bool ProfileValue::operator!=(const ProfileValue &other) const {
  return !(*this == other);
}

void ProfileValue::swap(ProfileValue &other) noexcept {
  std::swap(type_, other.type_);
  // Every member of the union is trivial, so its bytes may change places.
  char bytes[sizeof number_];
  static_assert(sizeof number_ >= sizeof map_);
  std::memcpy(bytes, &number_, sizeof bytes);
  std::memcpy(&number_, &other.number_, sizeof bytes);
  std::memcpy(&other.number_, bytes, sizeof bytes);
}

void ProfileValue::expect(Type type) const {
  if (type_ != type)
    throw type_error(std::string("a ") + nameOf(type_) + " was read as a " +
                     nameOf(type));
}

} // namespace poplar
