// A histogram of a tensor with buckets of equal width, counted on its tiles.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>

namespace popscope::graph {

struct LinearBuckets {
  float begin = 0.0f;
  float end = 1.0f;
  std::size_t number = 30;
};

// Appends the counting and returns exact counts, UNSIGNED_INT [number + 3]: of
// elements below `begin`, in each bucket, at `end` or above, and of NaNs. The
// tensor is FLOAT, HALF, INT or UNSIGNED_INT; addCodelets must have been called
// for the graph. Throws std::invalid_argument unless begin < end, both are
// finite, and there is a bucket.
poplar::Tensor
addTensorHistogram(poplar::Graph &graph, const poplar::Tensor &tensor,
                   const LinearBuckets &buckets,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
