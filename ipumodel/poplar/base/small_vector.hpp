// A vector of trivially copyable elements that stores the first N inline: there
// are hundreds of thousands of tensor views and almost all are tiny.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace ipumodel {

template <class T, std::uint32_t N> class SmallVector {
  static_assert(std::is_trivially_copyable<T>::value,
                "elements are moved by plain copies");

public:
  SmallVector() = default;
  SmallVector(std::initializer_list<T> list) {
    append(list.begin(), list.end());
  }
  SmallVector(const SmallVector &other) { append(other.begin(), other.end()); }
  SmallVector(SmallVector &&other) noexcept { take(other); }
  SmallVector &operator=(const SmallVector &other) {
    if (this != &other) {
      size_ = 0;
      append(other.begin(), other.end());
    }
    return *this;
  }
  SmallVector &operator=(SmallVector &&other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~SmallVector() { release(); }

  T *begin() { return data(); }
  T *end() { return data() + size_; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T &operator[](std::size_t i) { return data()[i]; }
  const T &operator[](std::size_t i) const { return data()[i]; }
  T &back() { return data()[size_ - 1]; }
  const T &back() const { return data()[size_ - 1]; }

  void push_back(T value) {
    reserve(size_ + 1);
    data()[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void append(const T *first, const T *last) {
    reserve(size_ + static_cast<std::uint32_t>(last - first));
    std::copy(first, last, end());
    size_ += static_cast<std::uint32_t>(last - first);
  }

  friend bool operator==(const SmallVector &a, const SmallVector &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator!=(const SmallVector &a, const SmallVector &b) {
    return !(a == b);
  }

private:
  T *data() { return heap_ ? heap_ : inline_; }
  const T *data() const { return heap_ ? heap_ : inline_; }

  void reserve(std::uint32_t wanted) {
    if (wanted <= capacity_)
      return;
    const std::uint32_t capacity = std::max(wanted, capacity_ * 2);
    T *grown = new T[capacity];
    std::copy(begin(), end(), grown);
    delete[] heap_;
    heap_ = grown;
    capacity_ = capacity;
  }
  void take(SmallVector &other) {
    heap_ = std::exchange(other.heap_, nullptr);
    capacity_ = std::exchange(other.capacity_, N);
    size_ = std::exchange(other.size_, 0);
    if (!heap_)
      std::copy(other.inline_, other.inline_ + size_, inline_);
  }
  void release() {
    delete[] heap_;
    heap_ = nullptr;
    capacity_ = N;
    size_ = 0;
  }

  T *heap_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = N;
  T inline_[N];
};

} // namespace ipumodel
