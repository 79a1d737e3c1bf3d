// A vertex in memory, its fields set by name through the table popc made.
#pragma once

#include "poplar/codelet/codelet_library.hpp"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

class VertexObject {
public:
  explicit VertexObject(const ipumodel::abi::VertexType &type)
      : type_(type), memory_(type.size + type.align) {}

  const ipumodel::abi::Field &field(const std::string &name) const {
    for (std::uint32_t i = 0; i < type_.numFields; ++i)
      if (type_.fields[i].name == name)
        return type_.fields[i];
    throw std::runtime_error("no field " + name);
  }

  // A scalar state, or the address of a scalar edge.
  template <typename T> void set(const std::string &name, T value) {
    std::memcpy(base() + field(name).offset, &value, sizeof value);
  }
  template <typename T>
  void setVector(const std::string &name, std::vector<T> &elements) {
    set(name, spanOf(elements));
  }
  // `rows` are spans or pointers; they live as long as the object.
  template <typename Row>
  void setRows(const std::string &name, std::vector<Row> rows) {
    auto kept = std::make_shared<std::vector<Row>>(std::move(rows));
    set(name, spanOf(*kept));
    rows_.push_back(kept);
  }

  template <typename T>
  static ipumodel::abi::Span spanOf(std::vector<T> &elements) {
    return {elements.data(), std::uint32_t(elements.size())};
  }

  void setRandomState(std::uint32_t worker,
                      const ipumodel::abi::RandomState &state) {
    std::memcpy(base() + type_.randomOffset + worker * sizeof state, &state,
                sizeof state);
  }

  bool run() { return type_.run(base(), type_.size, 0, 1); }

private:
  char *base() {
    void *start = memory_.data();
    std::size_t space = memory_.size();
    return static_cast<char *>(
        std::align(type_.align, type_.size, start, space));
  }

  const ipumodel::abi::VertexType &type_;
  std::vector<char> memory_;
  std::vector<std::shared_ptr<void>> rows_;
};
