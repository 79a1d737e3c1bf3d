#include "graph/codelets.hpp"

#include "graph/stats_vertices.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace popscope::graph {

namespace {

std::string codeletDirectory() {
  if (const char *directory = std::getenv("POPSCOPE_CODELETS"))
    return directory;
  Dl_info self{};
  if (!dladdr(reinterpret_cast<const void *>(&codeletDirectory), &self))
    throw std::runtime_error("[graph] cannot tell where this program lives; "
                             "set POPSCOPE_CODELETS");
  const std::string file = self.dli_fname;
  const auto slash = file.rfind('/');
  const std::string home =
      slash == std::string::npos ? "." : file.substr(0, slash);
  return home + "/../lib/popscope";
}

} // namespace

void addCodelets(poplar::Graph &graph) {
  const std::string file = codeletDirectory() + "/popscope.gp";
  if (access(file.c_str(), R_OK) != 0)
    throw std::runtime_error("[graph] cannot read " + file +
                             "; POPSCOPE_CODELETS can name its directory");
  if (graph.addCodelets(file))
    registerStatsEstimators(graph);
}

} // namespace popscope::graph
