// Metadata tensors: the format and scale of QUARTER tensors, on tile 0.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Quarter.hpp>

namespace poplar {

Tensor createConstantMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});

} // namespace poplar
