// The vector types a vertex field may have, as a codelet sees them.
#pragma once

namespace poplar {

// How a vector is packed in a vertex's state on the device. Here every layout
// is a pointer and a size, so size() and iterators work for all of them.
enum class VectorLayout {
  NOT_A_VECTOR,
  SPAN,
  SHORT_SPAN,
  ONE_PTR,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  COMPACT_PTR
};

enum class VectorListLayout {
  NOT_A_VECTOR,
  ONE_PTR,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  DELTAN,
  DELTANELEMENTS,
  COMPACT_DELTAN
};

// Elements that live outside the vertex: in a tensor if the vector is an edge,
// in the engine's memory if it is state. The engine guarantees that the first
// is at a multiple of MinAlign. Constness is that of T, not of the vector.
template <typename T, VectorLayout L = VectorLayout::SPAN,
          unsigned MinAlign = alignof(T), bool Interleaved = false>
struct Vector {
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  // Pure, for __builtin_assume.
  __attribute__((pure)) unsigned size() const {
    return static_cast<unsigned>(size_);
  }
  bool empty() const { return size() == 0; }
  T *data() const { return data_; }
  T &operator[](decltype(sizeof(0)) index) const { return data_[index]; }
  T &front() const { return data_[0]; }
  T &back() const { return data_[size() - 1]; }

  T *begin() const { return data_; }
  T *end() const { return data_ + size(); }
  const T *cbegin() const { return data_; }
  const T *cend() const { return data_ + size(); }

private:
  // A distinct type, so that the compiler knows that writing integer elements
  // does not change the size and vectorises loops over them.
  enum class Size : unsigned {};

  T *data_;
  Size size_;
};

// Rows of different lengths: list[i][j], list[i].size().
template <typename T, VectorListLayout L = VectorListLayout::DELTANELEMENTS,
          unsigned MinAlign = alignof(T), bool Interleaved = false>
struct VectorList
    : Vector<Vector<T, VectorLayout::SPAN, MinAlign, Interleaved>> {};

} // namespace poplar
