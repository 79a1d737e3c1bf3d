// What the command line of poprun asks for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ipumodel::poprun {

struct LaunchOptions {
  unsigned numReplicas = 1;
  unsigned numInstances = 1;
  unsigned ipusPerReplica = 1;
  std::vector<std::string> hosts; // empty: this one
  std::string mpiGlobalArgs;
  std::string mpiLocalArgs;
  std::map<unsigned, std::string> instanceMpiLocalArgs;
  std::optional<unsigned> onlyOutputFrom; // an instance
  std::string executableCachePath;
  std::string processPlacement = "disabled"; // or spreadnuma
  bool printTopology = false;
  bool offlineMode = false; // without IPUs
  bool allowRunAsRoot = false;
  int verbosity = 0;
  std::vector<std::string> program;        // and its arguments
  std::vector<std::string> withoutMeaning; // options given that do nothing here

  unsigned localReplicas() const { return numReplicas / numInstances; }
  unsigned instancesPerHost() const {
    return hosts.empty() ? numInstances
                         : numInstances / static_cast<unsigned>(hosts.size());
  }
};

// The options, or the exit status if the command line is wrong or asks for help
// only; what there is to say about it has been printed.
std::optional<LaunchOptions> parseLaunchOptions(int argc, char **argv,
                                                int &status);

// "node[0-2,4],other" -> node0, node1, node2, node4, other. Throws
// std::invalid_argument.
std::vector<std::string> expandHosts(const std::string &list);

} // namespace ipumodel::poprun
