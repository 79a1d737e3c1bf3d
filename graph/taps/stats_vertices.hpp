// The names of the summary vertices, and what they are expected to cost.
#pragma once

#include "codelets/stats_row.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Type.hpp>

#include <string>

namespace popscope::graph {

// Throws std::invalid_argument for a type that cannot be summarised.
void requireSummarisable(const poplar::Type &type);
// Likewise.
std::string tileStatsVertex(const poplar::Type &type, StatsTier tier);
std::string tileHistogramVertex(const poplar::Type &type);
std::string mergeRowsVertex(StatsTier tier);
std::string sumCountsVertex();

// Cycles of one worker; estimated from the operations of the loops, never
// measured on a device.
std::size_t tileStatsCycles(std::size_t elements, std::size_t regions,
                            StatsTier tier);

void registerStatsEstimators(poplar::Graph &graph);

} // namespace popscope::graph
