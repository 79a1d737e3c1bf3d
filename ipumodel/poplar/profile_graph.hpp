// The part of a profile that is about the graph: target, memory, compute sets.
#pragma once

#include "poplar/compute_set_estimate.hpp"
#include "poplar/executable_data.hpp"
#include "pva/report_data.hpp"

#include <unordered_map>
#include <vector>

namespace ipumodel {

// By compute set.
std::vector<ComputeSetEstimate>
estimateComputeSets(const ExecutableData &executable);

// Everything but the programs.
profile::Compilation
gatherGraph(const ExecutableData &executable,
            const std::vector<ComputeSetEstimate> &estimates);

// Where the user's program made variables, compute sets and programs.
std::vector<profile::DebugContext>
gatherDebugContexts(const ExecutableData &executable);

// Ascending by tile; what is on no tile is left out, unless there is only one.
profile::TileCycles
sortedByTile(const std::unordered_map<TileId, std::uint64_t> &cycles,
             unsigned numTiles);

} // namespace ipumodel
