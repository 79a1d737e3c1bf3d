#include "gcl/collective_checks.hpp"

#include "gcl/combine.hpp"

#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

#include <map>
#include <string>

namespace ipumodel {

using namespace poplar;
using poputil::poplibs_error;

void checkOptions(const OptionFlags &options) {
  int method = 0; // parsed only to report errors
  const poplibs::OptionSpec spec{
      {"method",
       poplibs::OptionHandler::createWithEnum(
           method, std::map<std::string, int>{{"auto", 0},
                                              {"anticlockwise_ring", 1},
                                              {"bidirectional_ring_pair", 2},
                                              {"broadcast", 3},
                                              {"clockwise_ring", 4},
                                              {"meet_in_middle_ring", 5},
                                              {"quad_directional_ring", 6}})}};
  for (const auto &option : options)
    spec.parse(option.first, option.second);
}

void checkCollective(const char *function, gcl::CollectiveOperator op,
                     const Tensor &data) {
  if (!Combiner::isDefined(op, data.elementType()))
    throw poplibs_error(std::string(function) +
                        ": the operator is not defined for " +
                        data.elementType().toString());
}

ReplicaGroups groupsOf(const Graph &graph, const gcl::CommGroup &group) {
  return {group, graph.getReplicationFactor()};
}

} // namespace ipumodel
