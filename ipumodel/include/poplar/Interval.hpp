// A half-open range [begin, end) of indices.
#pragma once

#include <cstddef>
#include <ostream>

namespace poplar {

template <class T> struct GenericInterval {
  GenericInterval() : begin_(), end_() {}
  GenericInterval(T begin, T end) : begin_(begin), end_(end) {}

  const T &begin() const { return begin_; }
  const T &end() const { return end_; }
  const T &lower() const { return begin_; }
  const T &upper() const { return end_; }
  T size() const { return end_ - begin_; }

private:
  T begin_;
  T end_;
};

using Interval = GenericInterval<std::size_t>;

template <class T>
bool operator==(const GenericInterval<T> &a, const GenericInterval<T> &b) {
  return a.begin() == b.begin() && a.end() == b.end();
}

template <class T>
bool operator!=(const GenericInterval<T> &a, const GenericInterval<T> &b) {
  return !(a == b);
}

// Ordered by begin, then by end.
template <class T>
bool operator<(const GenericInterval<T> &a, const GenericInterval<T> &b) {
  return a.begin() < b.begin() || (a.begin() == b.begin() && a.end() < b.end());
}

template <class T>
bool operator>(const GenericInterval<T> &a, const GenericInterval<T> &b) {
  return b < a;
}

template <class T>
bool operator<=(const GenericInterval<T> &a, const GenericInterval<T> &b) {
  return !(b < a);
}

template <class T>
bool operator>=(const GenericInterval<T> &a, const GenericInterval<T> &b) {
  return !(a < b);
}

template <class T>
std::ostream &operator<<(std::ostream &os, const GenericInterval<T> &interval) {
  return os << '[' << interval.begin() << ',' << interval.end() << ')';
}

} // namespace poplar
