// The call of mpirun that starts the instances.
#pragma once

#include "launch_options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ipumodel::poprun {

using Variables = std::vector<std::pair<std::string, std::string>>;

// What all instances have in their environment. Variables of the user win where
// only speed depends on them. `cores` of each host.
Variables commonVariables(const LaunchOptions &options, unsigned cores);

// The arguments of mpirun, with its name first. Open MPI 4 and 5 both know
// them.
std::vector<std::string> mpirunCommand(const LaunchOptions &options,
                                       const Variables &common);

// One line for each instance.
std::string topologyTable(const LaunchOptions &options);

// As it would be typed in a shell.
std::string quoted(const std::vector<std::string> &command);

} // namespace ipumodel::poprun
