// Conversion of element types.
//
// Between BOOL, all integers up to 32 bits, HALF and FLOAT; to 64-bit integers
// from any integer; QUARTER from and to HALF, FLOAT, QUARTER and the types of
// one byte but BOOL. Floats are truncated towards zero when converted to
// integers, and kept in their range, and rounded to nearest,
// ties to even, when converted to narrower floats; BOOL is true for anything
// but 0. INT and UNSIGNED_INT keep their bits. Other pairs, or different
// shapes, throw poplibs_error.
#pragma once

#include <gccs/CompilerFeatures.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace popops {

// A new tensor laid out like `src`.
poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src,
                    const poplar::Type &dstType,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});

// To QUARTER, which needs metadata.
poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src,
                    const poplar::Type &dstType, const poplar::Tensor &metadata,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});

void castWithOutput(poplar::Graph &graph, const poplar::Tensor &src,
                    const poplar::Tensor &dst, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});

// The caller adds the returned program.
poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src,
                              poplar::Tensor dst,
                              const poplar::DebugContext &debugContext = {});

// As part of a compute set.
void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
          poplar::ComputeSet cs);
poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src,
                    const poplar::Type &dstType, poplar::ComputeSet cs,
                    const poplar::DebugContext &debugContext = {});
poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src,
                    const poplar::Type &dstType, const poplar::Tensor &metadata,
                    poplar::ComputeSet cs,
                    const poplar::DebugContext &debugContext = {});

// A BOOL: true if the cast changes the one element by less than `tolerance`
// relative to its value.
GC_DEPRECATED
poplar::Tensor
checkAccuracyWhenCast(poplar::Graph &graph, const poplar::Tensor &input,
                      poplar::Type outputType, double tolerance,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

} // namespace popops
