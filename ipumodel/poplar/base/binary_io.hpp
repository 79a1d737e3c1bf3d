// Conversion between values and bytes, little-endian and without padding.
//
// Both classes can be called with any number of values, so one function can
// describe the fields of a struct for writing and reading:
//
//   template <class Io> void transfer(Io &io, Loop &loop) {
//     io(loop.count, loop.stride);
//   }
//
// These functions are called with the Derived class, which may have more
// members. An object that several shared_ptrs point at is stored once.
#pragma once

#include "poplar/base/small_vector.hpp"

#include <poplar/exceptions.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ipumodel {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "numbers are stored as the processor has them");

// The initial value of an object to read; specialised for types that cannot be
// default-constructed.
template <class T> struct Blank {
  static T make() { return T(); }
};

template <class Derived> class BinaryWriter {
public:
  static constexpr bool kReading = false;

  template <class... T> void operator()(const T &...values) {
    (write(values), ...);
  }

  // An enumerator; a reader accepts values up to `last`.
  template <class E> void choice(const E &value, E) {
    write(static_cast<std::uint8_t>(value));
  }

  const std::string &bytes() const { return bytes_; }

private:
  template <class T> void write(const T &value) {
    if constexpr (std::is_arithmetic_v<T>)
      raw(&value, sizeof value);
    else // the functions are shared with the reader, which changes its values
      transfer(static_cast<Derived &>(*this), const_cast<T &>(value));
  }
  void write(const std::string &text) {
    write(std::uint64_t(text.size()));
    raw(text.data(), text.size());
  }
  void write(const std::vector<char> &data) {
    write(std::uint64_t(data.size()));
    raw(data.data(), data.size());
  }
  template <class T> void write(const std::vector<T> &values) {
    writeAll(values);
  }
  template <class T, std::uint32_t N>
  void write(const SmallVector<T, N> &values) {
    writeAll(values);
  }
  // Writes the number of the object, followed by the object if the number is
  // new.
  template <class T> void write(const std::shared_ptr<const T> &object) {
    if (!object)
      return write(std::uint64_t(0));
    const auto [it, isNew] =
        objects_.emplace(object.get(), objects_.size() + 1);
    write(it->second);
    if (isNew)
      write(*object);
  }
  template <class Values> void writeAll(const Values &values) {
    write(std::uint64_t(values.size()));
    for (const auto &value : values)
      write(value);
  }
  void raw(const void *data, std::size_t size) {
    bytes_.append(static_cast<const char *>(data), size);
  }

  std::string bytes_;
  std::unordered_map<const void *, std::uint64_t> objects_;
};

// Throws poplar_error if the bytes end early or are invalid. Vectors grow as
// they are read, so a wrong count cannot allocate excessive memory.
template <class Derived> class BinaryReader {
public:
  static constexpr bool kReading = true;

  BinaryReader(const char *begin, const char *end)
      : position_(begin), end_(end) {}

  template <class... T> void operator()(T &...values) { (read(values), ...); }

  template <class E> void choice(E &value, E last) {
    const auto number = get<std::uint8_t>();
    require(number <= static_cast<std::uint8_t>(last), "unknown enumerator");
    value = static_cast<E>(number);
  }

  template <class T> T get() {
    T value{};
    read(value);
    return value;
  }

  bool atEnd() const { return position_ == end_; }

  static void require(bool condition, const char *complaint) {
    if (!condition)
      throw poplar::poplar_error(std::string("bad executable file: ") +
                                 complaint);
  }

private:
  template <class T> void read(T &value) {
    if constexpr (std::is_same_v<T, bool>) {
      const auto number = get<std::uint8_t>();
      require(number <= 1, "neither true nor false");
      value = number != 0;
    } else if constexpr (std::is_arithmetic_v<T>) {
      std::memcpy(&value, take(sizeof value), sizeof value);
    } else {
      transfer(static_cast<Derived &>(*this), value);
    }
  }
  void read(std::string &text) {
    const auto size = get<std::uint64_t>();
    text.assign(take(size), size);
  }
  void read(std::vector<char> &data) {
    const auto size = get<std::uint64_t>();
    const char *begin = take(size);
    data.assign(begin, begin + size);
  }
  template <class T> void read(std::vector<T> &values) { readAll(values); }
  template <class T, std::uint32_t N> void read(SmallVector<T, N> &values) {
    readAll(values);
  }
  template <class T> void read(std::shared_ptr<const T> &object) {
    const auto number = get<std::uint64_t>();
    if (number == 0) {
      object = nullptr;
    } else if (number <= objects_.size()) {
      const auto &[type, pointer] = objects_[number - 1];
      require(type == typeid(T) && pointer, "a reference to something else");
      object = std::static_pointer_cast<const T>(pointer);
    } else {
      require(number == objects_.size() + 1, "a reference to nothing");
      require(++depth_ <= kMostDepth, "too many objects within each other");
      objects_.emplace_back(typeid(T), nullptr); // null while it is read
      auto made = std::make_shared<T>(Blank<T>::make());
      read(*made);
      --depth_;
      objects_[number - 1].second = made;
      object = std::move(made);
    }
  }
  template <class Values> void readAll(Values &values) {
    values.clear();
    for (auto count = get<std::uint64_t>(); count != 0; --count) {
      values.push_back(Blank<std::decay_t<decltype(values.back())>>::make());
      read(values.back());
    }
  }
  const char *take(std::uint64_t size) {
    require(size <= static_cast<std::uint64_t>(end_ - position_),
            "it ends early");
    const char *begin = position_;
    position_ += size;
    return begin;
  }

  static constexpr unsigned kMostDepth = 1000; // each takes some of the stack

  const char *position_;
  const char *end_;
  unsigned depth_ = 0;
  std::vector<std::pair<std::type_index, std::shared_ptr<const void>>> objects_;
};

} // namespace ipumodel
