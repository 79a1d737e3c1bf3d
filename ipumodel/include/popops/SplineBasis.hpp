// The B-spline basis that spline convolutions weight their kernel with.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

// Edges have `pseudo` coordinates [numEdges, numDims] of FLOAT or HALF, each in
// [0, 1]; a kernel has `kernelSize` [numDims] INT weights along each dimension,
// open or closed (`isOpenSpline` [numDims], UNSIGNED_CHAR or BOOL). Along a
// dimension, degree + 1 splines are not 0 at a coordinate; their products make
// the numSplines = (degree + 1)^numDims elements that an edge has in `basis`,
// and `weightIndex` says which weights of the kernel they are for. Both are
// [numEdges, numSplines], of the type of `pseudo` and INT; the splines of the
// first dimension are the innermost. Throws poputil::poplibs_error unless the
// degree is 1, 2 or 3 and shapes and types are these.
void splineBasis(poplar::Graph &graph, const poplar::Tensor &pseudo,
                 const poplar::Tensor &kernelSize,
                 const poplar::Tensor &isOpenSpline,
                 const poplar::Tensor &basis, const poplar::Tensor &weightIndex,
                 unsigned degree, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext = {});

} // namespace popops
