// A view of a contiguous sequence whose elements may be written.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace gccs {

// Does not own the elements. ArrayRef<const T> is the read-only form.
template <class T> class ArrayRef {
public:
  using value_type = typename std::remove_const<T>::type;
  using size_type = std::size_t;
  using iterator = T *;
  using const_iterator = const T *;

  constexpr ArrayRef() : data_(nullptr), size_(0) {}
  constexpr ArrayRef(T *data, std::size_t size) : data_(data), size_(size) {}
  template <class Alloc>
  ArrayRef(std::vector<T, Alloc> &elements)
      : data_(elements.data()), size_(elements.size()) {}
  template <
      class U, class Alloc,
      class = typename std::enable_if<std::is_same<const U, T>::value>::type>
  ArrayRef(const std::vector<U, Alloc> &elements)
      : data_(elements.data()), size_(elements.size()) {}
  template <class U, class = typename std::enable_if<
                         std::is_same<const U, T>::value>::type>
  constexpr ArrayRef(const ArrayRef<U> &other)
      : data_(other.data()), size_(other.size()) {}

  constexpr T *data() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  T &front() const { return data_[0]; }
  T &back() const { return data_[size_ - 1]; }
  T &operator[](std::size_t i) const { return data_[i]; }
  T *begin() const { return data_; }
  T *end() const { return data_ + size_; }

private:
  T *data_;
  std::size_t size_;
};

#if __cplusplus >= 201703L
template <class T, class Alloc>
ArrayRef(std::vector<T, Alloc> &) -> ArrayRef<T>;
template <class T, class Alloc>
ArrayRef(const std::vector<T, Alloc> &) -> ArrayRef<const T>;
#endif

} // namespace gccs
