// Splits dimensions in two, with the inner parts after all outer ones.
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <numeric>

namespace poputil {

using poplar::Tensor;

namespace {

std::vector<unsigned> range(unsigned begin, unsigned size) {
  std::vector<unsigned> values(size);
  std::iota(values.begin(), values.end(), begin);
  return values;
}

// The order outer0, inner0, outer1, inner1, ... of dimensions stored with the
// outer ones first.
std::vector<unsigned> interleaved(unsigned numDims, unsigned startDim) {
  std::vector<unsigned> dims;
  for (unsigned d = startDim; d < startDim + numDims; ++d) {
    dims.push_back(d);
    dims.push_back(d + numDims);
  }
  return dims;
}

} // namespace

Tensor factorDims(const Tensor &t, const std::vector<std::size_t> &factors,
                  unsigned startDim) {
  const unsigned numDims = factors.size();
  std::vector<std::size_t> outerAndInner;
  for (unsigned d = 0; d < numDims; ++d) {
    const auto size = t.dim(startDim + d);
    if (factors[d] == 0 || size % factors[d] != 0)
      throw poplibs_error("factorDims: " + std::to_string(factors[d]) +
                          " does not divide dimension " +
                          std::to_string(startDim + d) + " of " +
                          t.shapeToString());
    outerAndInner.push_back(size / factors[d]);
    outerAndInner.push_back(factors[d]);
  }
  return t.reshapePartial(startDim, startDim + numDims, outerAndInner)
      .dimShufflePartial(range(startDim, 2 * numDims),
                         interleaved(numDims, startDim));
}

Tensor unfactorDims(const Tensor &t, unsigned numDims, unsigned startDim) {
  if (startDim + 2 * numDims > t.rank())
    throw poplibs_error("unfactorDims: " + t.shapeToString() +
                        " does not have " + std::to_string(2 * numDims) +
                        " dimensions from dimension " +
                        std::to_string(startDim) + " on");
  std::vector<std::size_t> shape;
  for (unsigned d = startDim; d < startDim + numDims; ++d)
    shape.push_back(t.dim(d) * t.dim(d + numDims));
  return t
      .dimShufflePartial(interleaved(numDims, startDim),
                         range(startDim, 2 * numDims))
      .reshapePartial(startDim, startDim + 2 * numDims, shape);
}

} // namespace poputil
