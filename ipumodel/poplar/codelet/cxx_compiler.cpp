#include "poplar/codelet/cxx_compiler.hpp"

#include "poplar/system/child_process.hpp"

#include <cstdlib>
#include <stdexcept>

namespace ipumodel {
namespace {

constexpr int kNewestClang = 25, kOldestClang = 10;

} // namespace

std::string findCxxCompiler() {
  if (const char *chosen = std::getenv("POPC_CXX"); chosen && *chosen) {
    std::string program = findProgram(chosen);
    if (program.empty())
      throw std::runtime_error("POPC_CXX is '" + std::string(chosen) +
                               "', which cannot be run");
    return program;
  }
  for (const char *name : {IPUMODEL_CLANG, "clang++"})
    if (std::string program = findProgram(name); !program.empty())
      return program;
  for (int version = kNewestClang; version >= kOldestClang; --version)
    if (std::string program = findProgram("clang++-" + std::to_string(version));
        !program.empty())
      return program;
  throw std::runtime_error("clang++ was not found: install clang (Debian: "
                           "clang-14), or name it in POPC_CXX");
}

} // namespace ipumodel
