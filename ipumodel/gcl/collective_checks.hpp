// Checks shared by the public functions; they throw poputil::poplibs_error.
#pragma once

#include "gcl/replica_groups.hpp"

#include <gcl/Collectives.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>

namespace gcl {

// Throws poplar::invalid_option.
void check(const poplar::OptionFlags &options);
void check(const char *function, CollectiveOperator op,
           const poplar::Tensor &data);

ReplicaGroups groupsOf(const poplar::Graph &graph, const CommGroup &group);

} // namespace gcl
