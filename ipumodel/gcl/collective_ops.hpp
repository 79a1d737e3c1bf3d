// The native operations of the public functions.
#pragma once

#include "gcl/replica_groups.hpp"

#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace ipumodel {

// out = the combination of the members' data, or this member's part of it.
enum class Share { whole, part };
void addReduce(poplar::program::Sequence &prog, const poplar::Tensor &data,
               const poplar::Tensor &out, gcl::CollectiveOperator op,
               Share share, const ReplicaGroups &groups,
               const poplar::DebugContext &debugContext);

// out[i] = the data of the i-th member, or its row for this member.
void addGather(poplar::program::Sequence &prog, const poplar::Tensor &data,
               const poplar::Tensor &out, Share share,
               const ReplicaGroups &groups,
               const poplar::DebugContext &debugContext);

// Every row of out = the combination of the rows of data.
void addReduceRows(poplar::program::Sequence &prog, const poplar::Tensor &data,
                   const poplar::Tensor &out, gcl::CollectiveOperator op,
                   const poplar::DebugContext &debugContext);

} // namespace ipumodel
