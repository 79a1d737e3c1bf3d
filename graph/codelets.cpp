#include "graph/codelets.hpp"

#include "graph/stats_vertices.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace popscope::graph {

namespace {

bool isReadable(const std::string &file) {
  return access(file.c_str(), R_OK) == 0;
}

std::string codeletFile(const char *installed) {
  const std::string name = "/popscope.gp";
  if (const char *directory = std::getenv("POPSCOPE_CODELETS"))
    return directory + name;
  Dl_info self{};
  std::string home = ".";
  if (dladdr(reinterpret_cast<const void *>(&codeletFile), &self)) {
    const std::string file = self.dli_fname;
    const auto slash = file.rfind('/');
    if (slash != std::string::npos)
      home = file.substr(0, slash);
  }
  const std::string beside = home + "/../lib/popscope" + name;
  return installed && !isReadable(beside) ? installed + name : beside;
}

} // namespace

void addCodelets(poplar::Graph &graph, const char *installed) {
  const std::string file = codeletFile(installed);
  if (!isReadable(file))
    throw std::runtime_error("[graph] cannot read " + file +
                             "; POPSCOPE_CODELETS can name its directory");
  if (graph.addCodelets(file))
    registerStatsEstimators(graph);
}

} // namespace popscope::graph
