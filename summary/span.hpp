// A view of contiguous elements, as std::span.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace popscope::summary {

template <class T> class Span {
public:
  using Element = std::remove_const_t<T>;

  constexpr Span() = default;
  constexpr Span(T *data, std::size_t size) : data_(data), size_(size) {}
  // Converts from containers, as std::span does.
  template <std::size_t N>
  constexpr Span(T (&array)[N]) // NOLINT(google-explicit-constructor)
      : data_(array), size_(N) {}
  Span(const std::vector<Element> &v) // NOLINT(google-explicit-constructor)
      : data_(v.data()), size_(v.size()) {}
  template <std::size_t N>
  constexpr Span( // NOLINT(google-explicit-constructor)
      const std::array<Element, N> &a)
      : data_(a.data()), size_(N) {}

  constexpr T *data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T &operator[](std::size_t i) const { return data_[i]; }
  constexpr T *begin() const { return data_; }
  constexpr T *end() const { return data_ + size_; }
  constexpr Span first(std::size_t count) const { return {data_, count}; }
  constexpr Span from(std::size_t offset) const {
    return {data_ + offset, size_ - offset};
  }

private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace popscope::summary
