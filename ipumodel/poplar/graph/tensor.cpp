#include "poplar/graph/tensor_checks.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/Tensor.hpp>
#include <poplar/exceptions.hpp>

#include <numeric>

namespace poplar {

using ipumodel::checkDim;
using ipumodel::dataOf;
using ipumodel::describe;
using ipumodel::prefixOf;
using ipumodel::rangeText;
using ipumodel::Shape;
using ipumodel::shapeText;
using ipumodel::TensorData;

using ipumodel::View;

namespace {

Tensor withView(const TensorData &source, View view) {
  return Tensor(std::make_shared<TensorData>(
      TensorData{source.graph, source.type, std::move(view), source.metadata}));
}

const Shape &shapeOf(const TensorData &data) { return data.view.shape(); }

// Throws index_error unless begin <= end <= size of the dimension.
void checkRange(const TensorData &data, std::size_t begin, std::size_t end,
                std::size_t dim, const char *use) {
  checkDim(data, dim, use);
  if (begin > end || end > shapeOf(data)[dim])
    throw index_error(prefixOf(data) + use + ": " + rangeText(begin, end) +
                      " is not a range of dimension " + std::to_string(dim) +
                      " of tensor " + describe(data));
}

View indexed(const View &view, std::size_t dim, std::size_t i) {
  return view.slice(dim, i, i + 1).dropDim(dim);
}

std::vector<unsigned> identity(std::size_t rank) {
  std::vector<unsigned> dims(rank);
  std::iota(dims.begin(), dims.end(), 0u);
  return dims;
}

} // namespace

Tensor::Tensor() = default;
Tensor::Tensor(const Tensor &) = default;
Tensor::Tensor(Tensor &&) noexcept = default;
Tensor::Tensor(std::shared_ptr<const TensorData> data)
    : data_(std::move(data)) {}
const Tensor &Tensor::operator=(const Tensor &other) & {
  if (this != &other)
    data_ = other.data_;
  return *this;
}
Tensor &Tensor::operator=(Tensor &&) &noexcept = default;
Tensor::~Tensor() = default;

Type Tensor::elementType() const { return dataOf(*this, "elementType").type; }

std::size_t Tensor::numElements() const {
  return dataOf(*this, "numElements").view.numElements();
}

std::size_t Tensor::dim(unsigned i) const {
  const TensorData &data = dataOf(*this, "dim");
  checkDim(data, i, "dim");
  return shapeOf(data)[i];
}

std::vector<std::size_t> Tensor::shape() const {
  return shapeOf(dataOf(*this, "shape"));
}

unsigned Tensor::rank() const {
  return static_cast<unsigned>(shapeOf(dataOf(*this, "rank")).size());
}

Tensor Tensor::operator[](std::size_t i) const {
  const TensorData &data = dataOf(*this, "operator[]");
  checkDim(data, 0, "operator[]");
  if (i >= shapeOf(data)[0])
    throw index_error(prefixOf(data) + "operator[]: index " +
                      std::to_string(i) + " is beyond dimension 0 of tensor " +
                      describe(data));
  return withView(data, indexed(data.view, 0, i));
}

Tensor Tensor::index(ArrayRef<std::size_t> indices) const {
  const TensorData &data = dataOf(*this, "index");
  if (indices.size() > shapeOf(data).size())
    throw index_error(
        prefixOf(data) + "index: " + shapeText(indices.cloneAsVector()) +
        " has more indices than tensor " + describe(data) + " has dimensions");
  Tensor result = *this;
  for (const std::size_t i : indices)
    result = result[i];
  return result;
}

Tensor Tensor::slice(std::size_t begin, std::size_t end,
                     unsigned dimension) const {
  const TensorData &data = dataOf(*this, "slice");
  checkRange(data, begin, end, dimension, "slice");
  return withView(data, data.view.slice(dimension, begin, end));
}

Tensor Tensor::slice(ArrayRef<std::size_t> begin,
                     ArrayRef<std::size_t> end) const {
  const TensorData &data = dataOf(*this, "slice");
  if (begin.size() != end.size() || begin.size() > shapeOf(data).size())
    throw index_error(prefixOf(data) + "slice: the corners " +
                      shapeText(begin.cloneAsVector()) + " and " +
                      shapeText(end.cloneAsVector()) + " do not fit tensor " +
                      describe(data));
  View view = data.view;
  for (unsigned d = 0; d < begin.size(); ++d) {
    checkRange(data, begin[d], end[d], d, "slice");
    view = view.slice(d, begin[d], end[d]);
  }
  return withView(data, std::move(view));
}

std::vector<Tensor> Tensor::slices(ArrayRef<Interval> intervals,
                                   unsigned dimension) const {
  std::vector<Tensor> result;
  result.reserve(intervals.size());
  for (const Interval &interval : intervals)
    result.push_back(slice(interval, dimension));
  return result;
}

std::vector<Tensor>
Tensor::slices(const std::vector<std::vector<Interval>> &intervals,
               unsigned dimension) const {
  std::vector<Tensor> result;
  result.reserve(intervals.size());
  for (const std::vector<Interval> &list : intervals)
    result.push_back(list.empty() ? slice(0, 0, dimension)
                                  : concat(slices(list, dimension), dimension));
  return result;
}

std::vector<Tensor> Tensor::slices(const ArrayRef<unsigned> &indices,
                                   unsigned dimension) const {
  std::vector<Tensor> result;
  result.reserve(indices.size());
  for (const std::size_t i : indices)
    result.push_back(slice(i, i + 1, dimension));
  return result;
}

Tensor Tensor::flatten() const {
  const TensorData &data = dataOf(*this, "flatten");
  if (shapeOf(data).size() == 1)
    return *this;
  return withView(data, data.view.flatten());
}

Tensor Tensor::flatten(unsigned dimBegin, unsigned dimEnd) const {
  const Shape &shape = shapeOf(dataOf(*this, "flatten"));
  std::size_t size = 1;
  for (unsigned d = dimBegin; d < dimEnd && d < shape.size(); ++d)
    size *= shape[d];
  return reshapePartial(dimBegin, dimEnd, {size});
}

Tensor Tensor::reshape(ArrayRef<std::size_t> shape) const {
  const TensorData &data = dataOf(*this, "reshape");
  const Shape wanted = shape.cloneAsVector();
  if (ipumodel::product(wanted) != data.view.numElements())
    throw poplar_error(prefixOf(data) + "reshape: tensor " + describe(data) +
                       " has " + std::to_string(data.view.numElements()) +
                       " elements, shape " + shapeText(wanted) + " needs " +
                       std::to_string(ipumodel::product(wanted)));
  return withView(data, data.view.reshape(wanted));
}

Tensor Tensor::reshapePartial(unsigned beginIndex, unsigned endIndex,
                              ArrayRef<std::size_t> newDims) const {
  const TensorData &data = dataOf(*this, "reshapePartial");
  const Shape &shape = shapeOf(data);
  if (beginIndex > endIndex || endIndex > shape.size())
    throw index_error(
        prefixOf(data) + "reshapePartial: " + rangeText(beginIndex, endIndex) +
        " is not a range of the dimensions of tensor " + describe(data));
  Shape wanted(shape.begin(), shape.begin() + beginIndex);
  wanted.insert(wanted.end(), newDims.begin(), newDims.end());
  wanted.insert(wanted.end(), shape.begin() + endIndex, shape.end());
  return reshape(wanted);
}

Tensor Tensor::dimShuffle(ArrayRef<unsigned> permutation) const {
  const TensorData &data = dataOf(*this, "dimShuffle");
  std::vector<unsigned> sorted = permutation.cloneAsVector();
  std::sort(sorted.begin(), sorted.end());
  if (sorted != identity(shapeOf(data).size()))
    throw poplar_error(
        prefixOf(data) + "dimShuffle: " +
        shapeText(Shape(permutation.begin(), permutation.end())) +
        " is not a permutation of the dimensions of tensor " + describe(data));
  return withView(data, data.view.dimShuffle(permutation.cloneAsVector()));
}

Tensor Tensor::dimShufflePartial(ArrayRef<unsigned> source,
                                 ArrayRef<unsigned> destination) const {
  const TensorData &data = dataOf(*this, "dimShufflePartial");
  const std::size_t rank = shapeOf(data).size();
  constexpr unsigned kFree = ~0u;
  std::vector<unsigned> permutation(rank, kFree);
  std::vector<bool> moved(rank);
  bool legal = source.size() == destination.size();
  for (std::size_t k = 0; legal && k < source.size(); ++k) {
    checkDim(data, source[k], "dimShufflePartial");
    checkDim(data, destination[k], "dimShufflePartial");
    legal = !moved[source[k]] && permutation[destination[k]] == kFree;
    moved[source[k]] = true;
    permutation[destination[k]] = source[k];
  }
  if (!legal)
    throw poplar_error(
        prefixOf(data) + "dimShufflePartial: cannot move dimensions " +
        shapeText(Shape(source.begin(), source.end())) + " to " +
        shapeText(Shape(destination.begin(), destination.end())) +
        " of tensor " + describe(data));
  unsigned next = 0;
  for (unsigned &dim : permutation) {
    if (dim != kFree)
      continue;
    while (moved[next])
      ++next;
    dim = next++;
  }
  return withView(data, data.view.dimShuffle(permutation));
}

Tensor Tensor::dimRoll(unsigned dimIdx, unsigned newIdx) const {
  return dimShufflePartial({dimIdx}, {newIdx});
}

Tensor Tensor::expand(ArrayRef<std::size_t> indices) const {
  const TensorData &data = dataOf(*this, "expand");
  const Shape &shape = shapeOf(data);
  std::vector<std::size_t> ones(shape.size() + 1);
  for (const std::size_t i : indices) {
    if (i > shape.size())
      throw index_error(prefixOf(data) + "expand: there is no dimension " +
                        std::to_string(i) + " to insert before in tensor " +
                        describe(data));
    ++ones[i];
  }
  Shape wanted;
  for (std::size_t d = 0; d <= shape.size(); ++d) {
    wanted.insert(wanted.end(), ones[d], 1);
    if (d < shape.size())
      wanted.push_back(shape[d]);
  }
  return withView(data, data.view.reshape(wanted));
}

Tensor Tensor::squeeze(ArrayRef<std::size_t> indices) const {
  const TensorData &data = dataOf(*this, "squeeze");
  const Shape &shape = shapeOf(data);
  std::vector<bool> dropped(shape.size());
  for (const std::size_t i : indices) {
    checkDim(data, i, "squeeze");
    if (shape[i] != 1)
      throw poplar_error(prefixOf(data) + "squeeze: dimension " +
                         std::to_string(i) + " of tensor " + describe(data) +
                         " is not of size one");
    dropped[i] = true;
  }
  Shape wanted;
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (!dropped[d])
      wanted.push_back(shape[d]);
  return withView(data, data.view.reshape(wanted));
}

Tensor Tensor::transpose() const {
  const TensorData &data = dataOf(*this, "transpose");
  if (shapeOf(data).size() != 2)
    throw poplar_error(prefixOf(data) + "transpose: tensor " + describe(data) +
                       " does not have two dimensions");
  return withView(data, data.view.dimShuffle({1, 0}));
}

Tensor Tensor::reverse(unsigned dimension) const {
  const TensorData &data = dataOf(*this, "reverse");
  checkDim(data, dimension, "reverse");
  return withView(data, data.view.reverse(dimension));
}

Tensor Tensor::subSample(unsigned stride, unsigned dimension) const {
  const TensorData &data = dataOf(*this, "subSample");
  checkDim(data, dimension, "subSample");
  if (stride == 0)
    throw poplar_error(prefixOf(data) +
                       "subSample: a stride of zero on tensor " +
                       describe(data));
  const std::size_t size = shapeOf(data)[dimension];
  const std::size_t rows = size / stride;
  Tensor first =
      slice(0, rows * stride, dimension)
          .reshapePartial(dimension, dimension + 1, {rows, std::size_t(stride)})
          .slice(0, 1, dimension + 1)
          .squeeze({std::size_t(dimension) + 1});
  if (rows * stride == size)
    return first;
  return concat(first, slice(rows * stride, rows * stride + 1, dimension),
                dimension);
}

Tensor Tensor::upsample(unsigned scale, unsigned dimension,
                        UpsampleMethod) const {
  checkDim(dataOf(*this, "upsample"), dimension, "upsample");
  return expand({std::size_t(dimension) + 1})
      .broadcast(scale, dimension + 1)
      .flatten(dimension, dimension + 2);
}

Tensor Tensor::broadcast(unsigned times, unsigned dimension) const {
  const TensorData &data = dataOf(*this, "broadcast");
  checkDim(data, dimension, "broadcast");
  return withView(data, data.view.broadcast(times, dimension));
}

Tensor Tensor::reinterpret(const Type &type) const {
  const TensorData &data = dataOf(*this, "reinterpret");
  if (ipumodel::sizeOf(type) != ipumodel::sizeOf(data.type))
    throw type_error(prefixOf(data) + "reinterpret: tensor " + describe(data) +
                     " does not have elements of the size of " +
                     type.toString());
  return Tensor(std::make_shared<TensorData>(
      TensorData{data.graph, type, data.view,
                 type.requiresMetadata() ? data.metadata : nullptr}));
}

Tensor Tensor::getMetadata() const {
  const TensorData &data = dataOf(*this, "getMetadata");
  if (!data.metadata)
    throw tensor_metadata_error(prefixOf(data) + "getMetadata: tensor " +
                                describe(data) + " has no metadata");
  return Tensor(data.metadata);
}

bool Tensor::hasMetadata() const {
  return dataOf(*this, "hasMetadata").metadata != nullptr;
}

} // namespace poplar
