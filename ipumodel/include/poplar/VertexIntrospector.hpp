// The view of a vertex that a cycle estimator gets.
#pragma once

#include <poplar/GraphElements.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VectorLayout.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ipumodel {
struct FieldIntrospection;
struct VertexIntrospection;
} // namespace ipumodel

namespace poplar {

class FieldData {
public:
  struct SizeT {
    std::size_t value;
    std::size_t size() const { return value; }
  };

  explicit FieldData(std::unique_ptr<ipumodel::FieldIntrospection> impl);
  FieldData(FieldData &&) noexcept;
  FieldData(const FieldData &) = delete;
  ~FieldData();

  // 0 for a scalar, 1 for a vector, 2 for a vector of vectors.
  unsigned rank() const;
  std::size_t size() const;
  std::size_t getSizeAtIndex(std::size_t i) const;
  SizeT operator[](std::size_t i) const { return {getSizeAtIndex(i)}; }
  layout::Vector getProfilerVectorLayout(std::size_t nestingLevel) const;
  layout::VectorList getProfilerVectorListLayout() const;
  std::string name() const;

  template <typename T> T getInitialValue(const Target &target) const {
    return InitialValues<T>::one(*this, target);
  }
  // If T is std::vector<U>, the rows of a vector of vectors.
  template <typename T> std::vector<T> getInitialValues(const Target &) const {
    return InitialValues<T>::all(*this);
  }

private:
  // Copies state elements [0, n) of row `row`, converted to the host type.
  void readState(std::size_t row, std::size_t n, void *dst,
                 const TypeTraits &traits) const;

  template <typename T> struct InitialValues {
    static T one(const FieldData &field, const Target &) {
      T value{};
      field.readState(0, 1, &value, TypeTraits::make<T>());
      return value;
    }
    static std::vector<T> all(const FieldData &field) {
      std::unique_ptr<T[]> values(new T[field.size() + 1]);
      field.readState(0, field.size(), values.get(), TypeTraits::make<T>());
      return std::vector<T>(values.get(), values.get() + field.size());
    }
  };
  template <typename U> struct InitialValues<std::vector<U>> {
    static std::vector<std::vector<U>> all(const FieldData &field) {
      std::vector<std::vector<U>> rows;
      for (std::size_t i = 0; i < field.size(); ++i) {
        rows.emplace_back(field.getSizeAtIndex(i));
        field.readState(i, rows.back().size(), rows.back().data(),
                        TypeTraits::make<U>());
      }
      return rows;
    }
  };

  std::unique_ptr<ipumodel::FieldIntrospection> impl_;
};

class VertexIntrospector {
public:
  explicit VertexIntrospector(
      std::unique_ptr<ipumodel::VertexIntrospection> impl);
  VertexIntrospector(VertexIntrospector &&) noexcept;
  ~VertexIntrospector();

  FieldData getFieldInfo(const std::string &name) const;
  ComputeSet getComputeSet() const;

private:
  std::unique_ptr<ipumodel::VertexIntrospection> impl_;
};

} // namespace poplar
