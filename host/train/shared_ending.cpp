#include "host/train/shared_ending.hpp"

#include "host/command.hpp"
#include "host/terminal/problem.hpp"

#include <vector>

namespace popscope::host {

std::string describe(const outfeed::ReplicaSlice &slice) {
  const unsigned first = slice.firstReplica();
  const unsigned last = first + slice.localReplicas() - 1;
  return "instance " + std::to_string(slice.instance) + " of " +
         std::to_string(slice.instances) +
         (first == last ? ", replica " + std::to_string(first)
                        : ", replicas " + std::to_string(first) + " to " +
                              std::to_string(last)) +
         " of " + std::to_string(slice.replicas);
}

int endTogether(outfeed::Instances &instances, const RunReport &report,
                int exitCode) {
  if (!instances.slice().isSplit())
    return exitCode;
  const std::vector<std::string> losses =
      instances.gather(report.text(), "losses");
  for (std::size_t i = 1; i < losses.size(); ++i) {
    if (losses[i].empty())
      continue;
    printProblem("instance " + std::to_string(i) + ": " + losses[i]);
    exitCode = exitFailed;
  }
  instances.broadcast(&exitCode, sizeof exitCode, "exit code");
  return exitCode;
}

} // namespace popscope::host
