// What one of several instances of a training keeps for itself.
#pragma once

#include "outfeed/instances.hpp"

#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>

namespace popscope::host {

constexpr char kInstanceLog[] = "log.txt";

// Below the directory of its run: instance_1.
std::string instanceFolder(unsigned instance);
// The rest of a path that begins with such a folder.
std::optional<std::filesystem::path>
pathInInstance(const std::filesystem::path &relative);

// Makes <run>/instance_<i>, with a popscope.json that says which replicas it
// has, and a log.txt that later starts append to. What cannot be written is
// left out: the run does not need it.
class InstanceDirectory {
public:
  InstanceDirectory(const std::filesystem::path &run,
                    const outfeed::ReplicaSlice &slice);

  // One line of log.txt. From any thread.
  void log(const std::string &line);

private:
  std::mutex mutex_; // guards the file
  std::ofstream log_;
};

} // namespace popscope::host
