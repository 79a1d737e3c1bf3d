#include "host/run/instance_directory.hpp"

#include "host/run/whole_file.hpp"
#include "text/json_object.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <exception>
#include <unistd.h>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

const std::string kFolder = "instance_";

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string manifestOf(const outfeed::ReplicaSlice &slice) {
  text::JsonObject object;
  object.count("instance", slice.instance);
  object.count("instances", slice.instances);
  object.count("first_replica", slice.firstReplica());
  object.count("replicas", slice.localReplicas());
  object.count("total_replicas", slice.replicas);
  object.string("host", hostName());
  object.count("process", std::uint64_t(::getpid()));
  return object.text() + '\n';
}

} // namespace

std::string instanceFolder(unsigned instance) {
  return kFolder + std::to_string(instance);
}

std::optional<fs::path> pathInInstance(const fs::path &relative) {
  const std::string folder = relative.begin()->string();
  const bool isFolder =
      folder.size() > kFolder.size() && folder.rfind(kFolder, 0) == 0 &&
      std::all_of(folder.begin() + std::ptrdiff_t(kFolder.size()), folder.end(),
                  [](unsigned char c) { return std::isdigit(c); });
  return isFolder ? std::optional(relative.lexically_relative(folder))
                  : std::nullopt;
}

InstanceDirectory::InstanceDirectory(const fs::path &run,
                                     const outfeed::ReplicaSlice &slice) {
  const fs::path directory = run / instanceFolder(slice.instance);
  std::error_code ignored;
  fs::create_directories(directory, ignored);
  try {
    replaceFile(directory / "popscope.json", manifestOf(slice));
  } catch (const std::exception &) {
    return;
  }
  log_.open(directory / kInstanceLog, std::ios::app);
}

void InstanceDirectory::log(const std::string &line) {
  const std::lock_guard<std::mutex> lock(mutex_);
  log_ << line << std::endl;
}

} // namespace popscope::host
