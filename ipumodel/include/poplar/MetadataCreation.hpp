// Metadata tensors: the format and scale of QUARTER tensors, on tile 0.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>

namespace poplar {

Tensor createConstantMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
// With the scale that one INT has when the program runs, which ends with an
// error unless it is in [-32, 31].
Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format,
                                    const Tensor &scale,
                                    program::Sequence &prog,
                                    const DebugContext &debugContext = {});

} // namespace poplar
