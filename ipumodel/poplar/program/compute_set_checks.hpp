// Checks a compute set before it can run.
#pragma once

#include "poplar/graph/tile_mapping_check.hpp"

namespace ipumodel {

// Throws unless every vertex has a tile, every edge is connected, every vector
// has a size and no element is written twice. Adds the elements that vertices
// use to `mappingCheck`.
void checkComputeSet(const GraphData &graph, const ComputeSetInfo &computeSet,
                     TileMappingCheck &mappingCheck);

} // namespace ipumodel
