// Sums of scaled tensors, in place.
//
// A and B have the same shape, and A is parallel-writeable; scales are single
// elements. Types are HALF, FLOAT, INT and UNSIGNED_INT; B and the scales are
// converted to A's type, except that a mix of HALF and FLOAT is computed in
// FLOAT and rounded once. Anything else throws poplibs_error.
//
// Options: optimizeForSpeed, which has no effect here, and
// scaleFloatToHalfTolerance (1e-6): with HALF tensors and a FLOAT scale,
// products are rounded to half only if the relative error of the scale as a
// HALF is at most this.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <string>

namespace popops {

enum class ScaledAddSpecialisation {
  DEFAULT,
  // A - scaleA * A + scaleB * B; HALF only.
  X_MINUS_AX_PLUS_BY
};

// A += scaleB * B
void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B,
                 float scaleB, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {},
                 const poplar::OptionFlags &options = {});
void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B,
                 poplar::Tensor scaleB, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {},
                 const poplar::OptionFlags &options = {});

// A -= scaleB * B
void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A,
                        poplar::Tensor B, float scaleB,
                        poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {});
void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A,
                        poplar::Tensor B, poplar::Tensor scaleB,
                        poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {});

// A = scaleA * A + scaleB * B
void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA,
                 poplar::Tensor B, poplar::Tensor scaleB,
                 poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {},
                 const poplar::OptionFlags &options = {});
void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA,
                 poplar::Tensor B, poplar::Tensor scaleB,
                 poplar::program::Sequence &prog,
                 const ScaledAddSpecialisation speciality,
                 const poplar::DebugContext &debugContext = {},
                 const poplar::OptionFlags &options = {});
void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, float scaleA,
                 poplar::Tensor B, float scaleB,
                 poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {},
                 const poplar::OptionFlags &options = {});
void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, float scaleA,
                 poplar::Tensor B, float scaleB,
                 poplar::program::Sequence &prog,
                 const ScaledAddSpecialisation speciality,
                 const poplar::DebugContext &debugContext = {},
                 const poplar::OptionFlags &options = {});

// A = scaleA * A - scaleB * B
void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A,
                        poplar::Tensor scaleA, poplar::Tensor B,
                        poplar::Tensor scaleB, poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {});
void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, float scaleA,
                        poplar::Tensor B, float scaleB,
                        poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {});

} // namespace popops
