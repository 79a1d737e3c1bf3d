// The names of the vertices that compute statistics, and estimates of their
// cost.
#pragma once

#include "codelets/stats_row.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Type.hpp>

#include <string>

namespace popscope::graph {

// Throws std::invalid_argument for a type that cannot be summarised.
void requireSummarisable(const poplar::Type &type);
// The functions that take a type throw as well.
std::string tileStatsVertex(const poplar::Type &type, StatsTier tier);
std::string tileHistogramVertex(const poplar::Type &type);
std::string mergeRowsVertex(StatsTier tier);
std::string sumCountsVertex();

// Estimated cycles of one worker, from the operations of the loops; not
// measured on a device.
std::size_t tileStatsCycles(std::size_t elements, std::size_t regions,
                            StatsTier tier);

void registerStatsEstimators(poplar::Graph &graph);

} // namespace popscope::graph
