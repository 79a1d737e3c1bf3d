// The identity of a variable, and an interval of its elements.
#pragma once

#include <poplar/Interval.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace poplar {

class VariableRef {
public:
  VariableRef() = default;
  explicit VariableRef(std::uint32_t id) : id_(id) {}
  std::uint32_t getId() const { return id_; }
  std::size_t hash() const { return std::hash<std::uint32_t>()(id_); }
  friend bool operator==(const VariableRef &a, const VariableRef &b) {
    return a.id_ == b.id_;
  }
  friend bool operator!=(const VariableRef &a, const VariableRef &b) {
    return a.id_ != b.id_;
  }
  friend bool operator<(const VariableRef &a, const VariableRef &b) {
    return a.id_ < b.id_;
  }

private:
  std::uint32_t id_ = std::numeric_limits<std::uint32_t>::max();
};

struct VariableInterval {
  VariableRef var;
  Interval interval;
  VariableInterval() = default;
  VariableInterval(VariableRef var, Interval interval)
      : var(var), interval(interval) {}
};

inline bool operator==(const VariableInterval &a, const VariableInterval &b) {
  return a.var == b.var && a.interval == b.interval;
}
inline bool operator<(const VariableInterval &a, const VariableInterval &b) {
  return a.var == b.var ? a.interval < b.interval : a.var < b.var;
}

} // namespace poplar

namespace std {
template <> struct hash<poplar::VariableRef> {
  size_t operator()(const poplar::VariableRef &v) const { return v.hash(); }
};
} // namespace std
