// A histogram of a tensor in buckets of equal width, counted where it lies.
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

// Appends the counting and returns exact counts, UNSIGNED_INT [number + 3]: the
// elements below the first bucket, those of each bucket, those at `end` or
// above, and the NaN. The tensor is FLOAT, HALF, INT or UNSIGNED_INT; the graph
// must have had addCodelets. Throws std::invalid_argument unless begin < end,
// both finite, and there is a bucket.
poplar::Tensor
addTensorHistogram(poplar::Graph &graph, const poplar::Tensor &tensor,
                   const LinearBuckets &buckets,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
