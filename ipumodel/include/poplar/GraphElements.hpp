// Handles to the parts of a Graph: cheap values, default-constructible, valid
// only with the graph that made them.
#pragma once

#include <poplar/StringRef.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

namespace poplar {

class FieldRef;

class VertexRef {
public:
  VertexRef() = default;
  explicit VertexRef(std::uint32_t id) : id_(id) {}
  FieldRef operator[](StringRef fieldName) const;
  std::uint32_t getId() const { return id_; }

private:
  std::uint32_t id_ = std::numeric_limits<std::uint32_t>::max();
};

// A field of a vertex, or with an index one element of a field that is a
// vector of edges.
class FieldRef {
public:
  FieldRef() = default;
  FieldRef(VertexRef vertex, StringRef fieldName)
      : vertex_(vertex), name_(fieldName) {}
  FieldRef operator[](std::size_t index) const {
    FieldRef element = *this;
    element.index_ = index;
    return element;
  }
  bool isIndexed() const { return index_ != noIndex; }
  std::size_t getIndex() const { return index_; }
  VertexRef getVertex() const { return vertex_; }
  const std::string &getName() const { return name_; }

private:
  enum : std::size_t { noIndex = static_cast<std::size_t>(-1) };
  VertexRef vertex_;
  std::string name_;
  std::size_t index_ = noIndex;
};

inline FieldRef VertexRef::operator[](StringRef fieldName) const {
  return FieldRef(*this, fieldName);
}

class ComputeSet {
public:
  ComputeSet() = default;
  ComputeSet(unsigned id) : id_(id) {}
  unsigned getId() const { return id_; }

private:
  unsigned id_ = std::numeric_limits<unsigned>::max();
};

class Function {
public:
  Function() = default;
  Function(unsigned id) : id_(id) {}
  unsigned getId() const { return id_; }

private:
  unsigned id_ = std::numeric_limits<unsigned>::max();
};

class FunctionBuffer {
public:
  FunctionBuffer() = default;
  FunctionBuffer(unsigned id) : id_(id) {}
  unsigned getId() const { return id_; }

private:
  unsigned id_ = std::numeric_limits<unsigned>::max();
};

class HostFunction {
public:
  HostFunction() = default;
  HostFunction(unsigned id) : id_(id) {}
  unsigned getId() const { return id_; }

private:
  unsigned id_ = std::numeric_limits<unsigned>::max();
};

} // namespace poplar
