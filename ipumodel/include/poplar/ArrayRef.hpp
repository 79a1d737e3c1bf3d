// A read-only view of a contiguous sequence, for passing arguments.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

namespace poplar {

// Does not own the elements. A view of an initializer list is valid only until
// the end of the full expression, so functions that keep the elements copy
// them (cloneAsVector).
template <class T> class ArrayRef {
  template <class U> struct Viewable {
    static constexpr bool value =
        std::is_same<U, T>::value ||
        (std::is_pointer<U>::value && std::is_pointer<T>::value &&
         std::is_convertible<const U *, const T *>::value);
  };
  template <class U>
  using EnableIfViewable = typename std::enable_if<Viewable<U>::value>::type;

public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  using iterator = const T *;
  using const_iterator = const T *;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;

  constexpr ArrayRef() : data_(nullptr), size_(0) {}
  ArrayRef(std::nullptr_t) = delete;
  constexpr ArrayRef(const T *data, std::size_t size)
      : data_(data), size_(size) {}
  template <class U, class Alloc, class = EnableIfViewable<U>>
  ArrayRef(const std::vector<U, Alloc> &elements)
      : data_(elements.data()), size_(elements.size()) {}
  template <std::size_t N>
  constexpr ArrayRef(const std::array<T, N> &elements)
      : data_(elements.data()), size_(N) {}
  template <std::size_t N>
  constexpr ArrayRef(const T (&elements)[N]) : data_(elements), size_(N) {}
  constexpr ArrayRef(const std::initializer_list<T> &elements)
      : ArrayRef(elements.begin(), elements.size()) {}
  template <class U, class = EnableIfViewable<U>>
  constexpr ArrayRef(const ArrayRef<U> &other)
      : data_(other.data()), size_(other.size()) {}

  constexpr const T *data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr std::size_t max_size() const {
    return std::numeric_limits<std::size_t>::max() / sizeof(T);
  }

  const T &front() const { return (*this)[0]; }
  const T &operator[](std::size_t i) const {
    assert(i < size_ && "index into an ArrayRef");
    return data_[i];
  }

  const_iterator begin() const { return data_; }
  const_iterator end() const { return data_ + size_; }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }

  std::vector<T> cloneAsVector() const {
    return std::vector<T>(begin(), end());
  }

private:
  const T *data_;
  std::size_t size_;
};

#if __cplusplus >= 201703L
template <class T, class Alloc>
ArrayRef(const std::vector<T, Alloc> &) -> ArrayRef<T>;
#endif

template <class T> bool operator==(const ArrayRef<T> &a, const ArrayRef<T> &b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

template <class T> bool operator!=(const ArrayRef<T> &a, const ArrayRef<T> &b) {
  return !(a == b);
}

} // namespace poplar
