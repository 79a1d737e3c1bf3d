// One-hot encoding, and ranges.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <popops/EncodingConstants.hpp>

#include <string>

namespace popops {

// Sets encoded[i][indices[i]] to 1 and all else to 0. A row whose index is out
// of range is 0. `indices` [N] is INT or UNSIGNED_INT, `encoded` [N, K] HALF,
// FLOAT, INT or UNSIGNED_INT; else poplibs_error is thrown.
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded,
                  poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {});

// `on` and `off`, single elements of the type of `encoded`, for 1 and 0.
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded,
                  poplar::program::Sequence &prog, const poplar::Tensor &on,
                  const poplar::Tensor &off,
                  const poplar::DebugContext &debugContext = {});

// startInteger, startInteger + 1, ... `t` is a vector or scalar of the type of
// startInteger, else poplibs_error is thrown.
void iota(poplar::Graph &graph, const poplar::Tensor &t, unsigned startInteger,
          poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {});
void iota(poplar::Graph &graph, const poplar::Tensor &t, int startInteger,
          poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {});

} // namespace popops
