#include "gcl/replica_groups.hpp"

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <string>

namespace ipumodel {

ReplicaGroups::ReplicaGroups(const gcl::CommGroup &group,
                             unsigned numReplicas) {
  size = numReplicas;
  std::size_t stride = 1; // from one member to the next
  if (group.type != gcl::CommGroupType::ALL) {
    size = group.replicaGroupSize;
    stride = group.replicaGroupStride;
    const std::size_t span = size * stride;
    if (span == 0 || numReplicas % span != 0)
      throw poputil::poplibs_error(
          std::to_string(numReplicas) +
          " replicas cannot be divided into groups of " + std::to_string(size) +
          " with a stride of " + std::to_string(stride));
    if (group.type == gcl::CommGroupType::ORTHOGONAL) {
      if (stride != 1)
        throw poputil::poplibs_error("Orthogonal groups have no stride");
      stride = numReplicas / size;
    }
  }
  for (std::size_t first = 0; first < numReplicas; first += size * stride)
    for (std::size_t i = 0; i < stride; ++i)
      for (std::size_t position = 0; position < size; ++position)
        members.push_back(static_cast<unsigned>(first + i + position * stride));
}

std::size_t ReplicaGroups::placeOf(unsigned replica) const {
  return static_cast<std::size_t>(
      std::find(members.begin(), members.end(), replica) - members.begin());
}

} // namespace ipumodel
