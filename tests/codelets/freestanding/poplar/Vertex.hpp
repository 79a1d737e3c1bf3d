// The least that a codelet's class needs, without a standard library: fields
// are pointers and sizes of 32 bits, as on a tile.
#pragma once

#include <poplar/HalfFloat.hpp>

namespace poplar {

class Vertex {};

template <typename T> class Vector {
public:
  unsigned size() const { return size_; }
  T &operator[](unsigned index) const { return data_[index]; }

private:
  T *data_;
  unsigned size_;
};

template <typename T> class Input {
public:
  const T &operator*() const { return *element_; }

private:
  const T *element_;
};

template <typename T> class InOut {
public:
  T &operator*() const { return *element_; }

private:
  T *element_;
};

template <typename T> class Output : public InOut<T> {};

template <typename T> class Input<Vector<T>> : public Vector<const T> {};
template <typename T> class InOut<Vector<T>> : public Vector<T> {};
template <typename T> class Output<Vector<T>> : public Vector<T> {};

} // namespace poplar
