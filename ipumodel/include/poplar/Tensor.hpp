// A view of elements of variables and constants; it never owns data. All
// functions that return views are const, copy nothing and alias their source.
#pragma once

#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VariableRef.hpp>

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ipumodel {
struct TensorData;
} // namespace ipumodel

namespace poplar {

// How upsample fills the new elements.
enum class UpsampleMethod { REPEAT };

class Tensor {
public:
  Tensor();
  Tensor(const Tensor &);
  Tensor(Tensor &&) noexcept;
  explicit Tensor(std::shared_ptr<const ipumodel::TensorData> data);
  const Tensor &operator=(const Tensor &) &;
  Tensor &operator=(Tensor &&) &noexcept;
  ~Tensor();

  // False for a default-constructed tensor, which allows nothing but this call.
  bool valid() const { return data_ != nullptr; }

  Type elementType() const;
  std::size_t numElements() const;
  std::size_t dim(unsigned i) const;
  std::vector<std::size_t> shape() const;
  unsigned rank() const;

  // The sub-tensor at index `i` of dimension 0, without that dimension.
  Tensor operator[](std::size_t i) const;
  Tensor index(ArrayRef<std::size_t> indices) const;

  Tensor slice(std::size_t begin, std::size_t end) const {
    return slice(begin, end, 0);
  }
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  Tensor slice(const Interval &region, unsigned dimension = 0) const {
    return slice(region.begin(), region.end(), dimension);
  }
  Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const;
  std::vector<Tensor> slices(ArrayRef<Interval> intervals,
                             unsigned dimension = 0) const;
  // One tensor per inner list: the concatenation of its intervals.
  std::vector<Tensor>
  slices(const std::vector<std::vector<Interval>> &intervals,
         unsigned dimension = 0) const;
  // One tensor per index, of size one in `dimension`.
  std::vector<Tensor> slices(const ArrayRef<unsigned> &indices,
                             unsigned dimension = 0) const;

  Tensor flatten() const;
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  Tensor reshapePartial(unsigned beginIndex, unsigned endIndex,
                        ArrayRef<std::size_t> newDims) const;
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  Tensor dimShufflePartial(ArrayRef<unsigned> source,
                           ArrayRef<unsigned> destination) const;
  Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0) const;
  // Inserts a dimension of size one before each dimension listed.
  Tensor expand(ArrayRef<std::size_t> indices) const;
  Tensor squeeze(ArrayRef<std::size_t> indices) const;
  Tensor transpose() const;
  Tensor reverse(unsigned dimension) const;
  Tensor subSample(unsigned stride, unsigned dimension) const;
  Tensor upsample(unsigned scale, unsigned dimension,
                  UpsampleMethod method) const;
  // Repeats the whole tensor N times along a dimension.
  Tensor broadcast(unsigned N, unsigned dimension) const;
  // The same bits as another type of equal size.
  Tensor reinterpret(const Type &type) const;

  bool isContiguous() const;
  bool containsAliases() const;
  bool containsConstant() const;
  // True if the view has no aliases and no constants.
  bool isParallelWriteable() const;
  // Intervals of the flattened view, in order, each contiguous in memory.
  const std::vector<Interval> getContiguousRegions() const;
  const std::vector<VariableInterval> getVarRegions() const;
  // True for a single constant element, which is stored in *value.
  template <typename T> bool getConstantValue(T *value) const {
    return getConstantData(value, TypeTraits::make<T>());
  }
  bool intersectsWith(const Tensor &other) const;

  std::ostream &output(std::ostream &os) const;
  std::ostream &outputRegions(std::ostream &os) const;
  void dump() const;
  void dumpRegions() const;
  std::string shapeToString() const;
  std::string getVarStr() const;
  std::string getDebugStr() const;

  // The scale and format of a QUARTER tensor.
  Tensor getMetadata() const;
  bool hasMetadata() const;

  const std::shared_ptr<const ipumodel::TensorData> &getImpl() const {
    return data_;
  }

private:
  bool getConstantData(void *dst, const TypeTraits &traits) const;

  std::shared_ptr<const ipumodel::TensorData> data_;
};

// True for equal shapes and the same elements of the same variables.
bool operator==(const Tensor &a, const Tensor &b);
bool operator!=(const Tensor &a, const Tensor &b);

Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
Tensor concat(const Tensor &first, const Tensor &second,
              unsigned dimension = 0);
// `second` does not have the dimension along which it is appended.
Tensor append(const Tensor &first, const Tensor &second, unsigned dimension);
Tensor append(const Tensor &first, const Tensor &second);

std::ostream &operator<<(std::ostream &os, const Tensor &tensor);

} // namespace poplar
