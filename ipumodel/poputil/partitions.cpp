// Tensors divided into a grid of parts.
#include <gccs/Algorithm.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <string>

namespace poputil {

using poplar::Graph;
using poplar::Tensor;
using poplar::Type;

namespace {

using Shape = std::vector<std::size_t>;

void check(const char *function, std::size_t rank, const Shape &nPartitions) {
  if (rank != nPartitions.size())
    throw poplibs_error(
        std::string(function) + ": " + std::to_string(nPartitions.size()) +
        " numbers of partitions for " + std::to_string(rank) + " dimensions");
  if (std::count(nPartitions.begin(), nPartitions.end(), 0) > 0)
    throw poplibs_error(std::string(function) +
                        ": the number of partitions of a dimension is 0");
}

// Builds a tensor from one variable for each shape of part: parts of equal
// shape are consecutive in their variable. A dimension has at most two sizes of
// parts, that of the first ones and that of the last one.
class PartitionedTensor {
public:
  PartitionedTensor(Graph &graph, const Type &type, const Shape &shape,
                    const Shape &nPartitions, const poplar::DebugInfo &di)
      : graph_(graph), type_(type), shape_(shape), nPartitions_(nPartitions),
        di_(di) {
    if (type.requiresMetadata()) {
      metadata_ =
          graph.addVariable(poplar::QUARTER_METADATA, {}, {di, "metadata"});
      graph.setTileMapping(metadata_, 0);
    }
  }

  Tensor build() {
    const auto dim = partSize_.size();
    if (dim == shape_.size())
      return addParts();
    const auto size = gccs::ceildiv(shape_[dim], nPartitions_[dim]);
    const auto rest = shape_[dim] % size;
    Tensor t = buildWith(size, shape_[dim] / size);
    if (rest > 0)
      t = concat(t, buildWith(rest, 1), dim);
    return t;
  }

private:
  Tensor buildWith(std::size_t size, std::size_t count) {
    partSize_.push_back(size);
    numParts_.push_back(count);
    Tensor t = build();
    partSize_.pop_back();
    numParts_.pop_back();
    return t;
  }

  Tensor addParts() {
    const auto rank = shape_.size();
    Shape stored = numParts_, shape;
    stored.insert(stored.end(), partSize_.begin(), partSize_.end());
    std::vector<unsigned> order;
    for (unsigned d = 0; d < rank; ++d) {
      shape.push_back(numParts_[d] * partSize_[d]);
      order.push_back(d);
      order.push_back(rank + d);
    }
    return graph_.addVariable(type_, metadata_, stored, {di_})
        .dimShuffle(order)
        .reshape(shape);
  }

  Graph &graph_;
  const Type &type_;
  const Shape &shape_;
  const Shape &nPartitions_;
  const poplar::DebugInfo &di_;
  Tensor metadata_;
  // For the dimensions decided so far.
  Shape partSize_;
  Shape numParts_;
};

} // namespace

Tensor createPartitionableTensor(Graph &graph, const Type &type,
                                 const Shape &shape, const Shape &nPartitions,
                                 const poplar::DebugContext &debugContext) {
  PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, shape, nPartitions));
  check("createPartitionableTensor", shape.size(), nPartitions);
  const bool isEmpty = std::count(shape.begin(), shape.end(), 0) > 0;
  Tensor t =
      isEmpty ? graph.addVariable(type, shape, {di})
              : PartitionedTensor(graph, type, shape, nPartitions, di).build();
  di.addOutput(t);
  return t;
}

void iterateTensorPartitions(
    const Tensor &t, const Shape &nPartitions,
    const std::function<void(const Shape &i, const Tensor &s)> &f) {
  check("iterateTensorPartitions", t.rank(), nPartitions);
  Shape index(t.rank(), 0);
  unsigned carry;
  do {
    Tensor part = t;
    for (unsigned d = 0; d < t.rank(); ++d) {
      const auto size = gccs::ceildiv(t.dim(d), nPartitions[d]);
      part = part.slice(std::min(index[d] * size, t.dim(d)),
                        std::min((index[d] + 1) * size, t.dim(d)), d);
    }
    f(index, part);
    for (carry = 0; carry < t.rank(); ++carry) {
      if (++index[carry] < nPartitions[carry])
        break;
      index[carry] = 0;
    }
  } while (carry < t.rank());
}

} // namespace poputil
