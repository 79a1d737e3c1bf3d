// Exchanges of host memory between instances. They block until all participants
// of the communicator have called the same function with the same arguments;
// if they call different ones, or one does not come within the time of
// target.hostSyncTimeout, popdist_error says who did what.
//
// A communicator that is not registered has all instances. Calls with different
// communicators may come in any order, from several threads.
#pragma once

#include <poplar/Type.hpp>

#include <cstddef>
#include <popdist/backend.hpp>
#include <string>

namespace popdist {
namespace collectives {

// `rootRank` is a position among the participants.
void broadcast(void *data, std::size_t num_elements, const poplar::Type &type,
               unsigned rootRank = 0,
               const std::string &communicator_id = defaultCommunicatorId());

// Adds in the order of the instances, HALF in FLOAT; integers wrap around.
void allReduceSum(void *data, std::size_t num_elements,
                  const poplar::Type &type,
                  const std::string &communicator_id = defaultCommunicatorId());

// `output` has the elements of all participants in their order. In place, they
// are already there and `input` is not used.
void allGather(const void *input, void *output,
               std::size_t num_elements_per_instance, const poplar::Type &type,
               const std::string &communicator_id = defaultCommunicatorId(),
               bool inplace = false);

} // namespace collectives
} // namespace popdist
