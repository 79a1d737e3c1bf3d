// The number of copies of a graph that run side by side.
#pragma once

namespace poplar {

struct replication_factor {
  unsigned value;

  explicit constexpr replication_factor(unsigned value) : value(value) {}

  replication_factor &operator++() {
    ++value;
    return *this;
  }
};

constexpr bool operator==(replication_factor a, replication_factor b) {
  return a.value == b.value;
}
constexpr bool operator!=(replication_factor a, replication_factor b) {
  return a.value != b.value;
}
constexpr bool operator<(replication_factor a, replication_factor b) {
  return a.value < b.value;
}

} // namespace poplar
