// One-hot encoding, and ranges.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <popops/EncodingConstants.hpp>

#include <string>

namespace popops {

// Sets encoded[i][indices[i]] to 1 and the rest to 0; a row whose index is out
// of range is all 0. `indices` [N] is INT or UNSIGNED_INT, `encoded` [N, K]
// HALF, FLOAT, INT or UNSIGNED_INT; otherwise throws poplibs_error.
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded,
                  poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {});

// With `on` and `off`, single elements of the type of `encoded`, for 1 and 0.
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded,
                  poplar::program::Sequence &prog, const poplar::Tensor &on,
                  const poplar::Tensor &off,
                  const poplar::DebugContext &debugContext = {});

// Writes startInteger, startInteger + 1, ... to a vector or scalar `t` of the
// type of startInteger; otherwise throws poplibs_error.
void iota(poplar::Graph &graph, const poplar::Tensor &t, unsigned startInteger,
          poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {});
void iota(poplar::Graph &graph, const poplar::Tensor &t, int startInteger,
          poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext = {});

} // namespace popops
