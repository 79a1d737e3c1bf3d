// Edges: vertex fields that are connected to tensors.
#pragma once

#include <poplar/FieldTypes.hpp>
#include <poplar/HalfFloat.hpp>

namespace poplar {

// Lets an edge of halves convert to float like a half: C++ allows only one
// user-defined conversion, and edge to half would be that one.
template <typename Edge, typename T> class FloatOf {};
template <typename Edge> class FloatOf<Edge, half> {
public:
  operator float() const { return *static_cast<const Edge &>(*this); }
};

// One element, read only.
template <typename T> class Input : public FloatOf<Input<T>, T> {
public:
  operator const T &() const { return *element_; }
  const T &operator*() const { return *element_; }
  const T *operator->() const { return element_; }

private:
  const T *element_;
};

// One element that a codelet may write. Assignment writes the element and never
// redirects the edge.
template <typename T> class InOut : public FloatOf<InOut<T>, T> {
public:
  InOut() = default;
  InOut(const InOut &) = default;

  operator T &() const { return *element_; }
  T &operator*() const { return *element_; }
  T *operator->() const { return element_; }

  const InOut &operator=(const InOut &other) const {
    return *this = *other.element_;
  }
  const InOut &operator=(const T &value) const {
    *element_ = value;
    return *this;
  }

  // clang-format off
  template <typename V> T &operator+=(const V &v) const { return *element_ += v; }
  template <typename V> T &operator-=(const V &v) const { return *element_ -= v; }
  template <typename V> T &operator*=(const V &v) const { return *element_ *= v; }
  template <typename V> T &operator/=(const V &v) const { return *element_ /= v; }
  template <typename V> T &operator%=(const V &v) const { return *element_ %= v; }
  template <typename V> T &operator&=(const V &v) const { return *element_ &= v; }
  template <typename V> T &operator|=(const V &v) const { return *element_ |= v; }
  template <typename V> T &operator^=(const V &v) const { return *element_ ^= v; }
  template <typename V> T &operator<<=(const V &v) const { return *element_ <<= v; }
  template <typename V> T &operator>>=(const V &v) const { return *element_ >>= v; }
  // clang-format on

private:
  T *element_;
};

// Like InOut for the codelet, but the engine need not provide the old value.
template <typename T> class Output : public InOut<T> {
public:
  Output() = default;
  Output(const Output &) = default;

  using InOut<T>::operator=;
  const Output &operator=(const Output &other) const {
    *this = *other;
    return *this;
  }
};

// Many elements: the edge is the vector itself, accessed with or without `*`
// and `->`. As in the SDK, [] gives elements that are not const even of an
// Input: codelets cast &in[0] to pointers to vectors.
template <typename T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class Input<Vector<T, L, MinAlign, Interleaved>>
    : public Vector<const T, L, MinAlign, Interleaved> {
  using Elements = Vector<const T, L, MinAlign, Interleaved>;

public:
  const Elements &operator*() const { return *this; }
  const Elements *operator->() const { return this; }
  T &operator[](decltype(sizeof(0)) index) const {
    return const_cast<T &>(this->data()[index]);
  }
};

template <typename T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class InOut<Vector<T, L, MinAlign, Interleaved>>
    : public Vector<T, L, MinAlign, Interleaved> {
  using Elements = Vector<T, L, MinAlign, Interleaved>;

public:
  const Elements &operator*() const { return *this; }
  const Elements *operator->() const { return this; }
};

template <typename T, VectorLayout L, unsigned MinAlign, bool Interleaved>
class Output<Vector<T, L, MinAlign, Interleaved>>
    : public InOut<Vector<T, L, MinAlign, Interleaved>> {};

template <typename T, VectorListLayout L, unsigned MinAlign, bool Interleaved>
class Input<VectorList<T, L, MinAlign, Interleaved>>
    : public Vector<
          Input<Vector<T, VectorLayout::SPAN, MinAlign, Interleaved>>> {
  using Rows =
      Vector<Input<Vector<T, VectorLayout::SPAN, MinAlign, Interleaved>>>;

public:
  const Rows &operator*() const { return *this; }
  const Rows *operator->() const { return this; }
};

template <typename T, VectorListLayout L, unsigned MinAlign, bool Interleaved>
class InOut<VectorList<T, L, MinAlign, Interleaved>>
    : public VectorList<T, L, MinAlign, Interleaved> {
  using Rows = VectorList<T, L, MinAlign, Interleaved>;

public:
  const Rows &operator*() const { return *this; }
  const Rows *operator->() const { return this; }
};

template <typename T, VectorListLayout L, unsigned MinAlign, bool Interleaved>
class Output<VectorList<T, L, MinAlign, Interleaved>>
    : public InOut<VectorList<T, L, MinAlign, Interleaved>> {};

} // namespace poplar
