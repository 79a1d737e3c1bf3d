// Checks shared by the public functions; they throw poputil::poplibs_error.
#pragma once

#include "gcl/replica_groups.hpp"

#include <gcl/Collectives.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>

namespace ipumodel {

// Throws poplar::invalid_option.
void checkOptions(const poplar::OptionFlags &options);
void checkCollective(const char *function, gcl::CollectiveOperator op,
                     const poplar::Tensor &data);

ReplicaGroups groupsOf(const poplar::Graph &graph, const gcl::CommGroup &group);

} // namespace ipumodel
