#include "host/plan/one_instance.hpp"

#include "host/command.hpp"

#include <cstdlib>
#include <string>

namespace popscope::host {

namespace {

std::string valueOr(const std::string &unset, const char *variable) {
  const char *const value = std::getenv(variable);
  return value ? value : unset;
}

} // namespace

void requireOneInstance() {
  const std::string total = valueOr("", "POPDIST_NUM_TOTAL_REPLICAS");
  const std::string processes = valueOr("1", "OMPI_COMM_WORLD_SIZE");
  if (total.empty() && processes != "1")
    throw BadInput("mpirun has started " + processes +
                   " processes, which do not know of each other: "
                   "POPDIST_NUM_TOTAL_REPLICAS and the other variables of "
                   "poprun are missing; start them with poprun");
  if (!total.empty() && total != valueOr("1", "POPDIST_NUM_LOCAL_REPLICAS"))
    throw BadInput("poprun has started several instances, and a training has "
                   "one; use poprun --num-instances 1, or --replicas " +
                   total + " without poprun");
}

} // namespace popscope::host
