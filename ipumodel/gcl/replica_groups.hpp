// The groups of replicas that take part in a collective together.
#pragma once

#include <gcl/Collectives.hpp>

#include <cstddef>
#include <vector>

namespace ipumodel {

struct ReplicaGroups {
  ReplicaGroups() = default; // none
  // Throws poplibs_error if the replicas cannot be divided like this.
  ReplicaGroups(const gcl::CommGroup &group, unsigned numReplicas);
  ReplicaGroups(std::size_t size, std::vector<unsigned> members)
      : size(size), members(std::move(members)) {}

  std::size_t count() const { return members.size() / size; }
  // The position of a replica in `members`: group times size, plus its position
  // in the group.
  std::size_t placeOf(unsigned replica) const;
  unsigned member(std::size_t group, std::size_t position) const {
    return members[group * size + position];
  }

  std::size_t size = 0;          // of each
  std::vector<unsigned> members; // one group after the other, in order
};

} // namespace ipumodel
