#include "graph/codelets.hpp"

#include "graph/taps/stats_vertices.hpp"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace popscope::graph {

namespace {

bool isReadable(const std::string &file) {
  return access(file.c_str(), R_OK) == 0;
}

// The program or library that contains this code, with symbolic links resolved.
// For a program found in PATH the dynamic linker knows only the name it was
// called by.
std::string ownFile() {
  Dl_info self{};
  char path[PATH_MAX];
  if (dladdr(reinterpret_cast<const void *>(&ownFile), &self) &&
      std::strchr(self.dli_fname, '/') && realpath(self.dli_fname, path))
    return path;
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, length > 0 ? std::size_t(length) : 0);
}

} // namespace

std::string codeletFile(const char *installed) {
  const std::string name = "/popscope.gp";
  if (const char *directory = std::getenv("POPSCOPE_CODELETS"))
    return directory + name;
  const std::string self = ownFile();
  const std::string beside =
      self.substr(0, self.rfind('/') + 1) + "../lib/popscope" + name;
  if (!installed || isReadable(beside))
    return beside;
  const std::string place = installed;
  const auto header = place.rfind("/graph/codelets.hpp");
  if (header == std::string::npos)
    return place + name;
  return place.substr(0, header) + "/../../lib/popscope" + name;
}

void addCodelets(poplar::Graph &graph, const char *installed) {
  const std::string file = codeletFile(installed);
  if (!isReadable(file))
    throw std::runtime_error("[graph] cannot read " + file +
                             "; POPSCOPE_CODELETS can name its directory");
  if (graph.addCodelets(file))
    registerStatsEstimators(graph);
}

} // namespace popscope::graph
