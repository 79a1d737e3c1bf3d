// The graph's part of a profile: target, memory, compute sets.
#pragma once

#include "poplar/estimate/compute_set_estimate.hpp"
#include "poplar/program/executable_data.hpp"
#include "pva/report_data.hpp"

#include <unordered_map>
#include <vector>

namespace ipumodel {

// One per compute set.
std::vector<ComputeSetEstimate>
estimateComputeSets(const ExecutableData &executable);

// Everything except the programs.
profile::Compilation
gatherGraph(const ExecutableData &executable,
            const std::vector<ComputeSetEstimate> &estimates);

// The places in the user's program that made variables, compute sets and
// programs.
std::vector<profile::DebugContext>
gatherDebugContexts(const ExecutableData &executable);

// Ascending by tile. Entries without a tile are dropped, unless there is only
// one tile.
profile::TileCycles
sortedByTile(const std::unordered_map<TileId, std::uint64_t> &cycles,
             unsigned numTiles);

} // namespace ipumodel
