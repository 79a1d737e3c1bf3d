#include "poplar/cxx_compiler.hpp"

#include "poplar/child_process.hpp"

#include <cstdlib>
#include <stdexcept>

namespace ipumodel {

std::string findCxxCompiler() {
  if (const char *chosen = std::getenv("POPC_CXX"); chosen && *chosen) {
    std::string program = findProgram(chosen);
    if (program.empty())
      throw std::runtime_error("POPC_CXX is '" + std::string(chosen) +
                               "', which cannot be run");
    return program;
  }
  for (const char *name : {"g++", "clang++"})
    if (std::string program = findProgram(name); !program.empty())
      return program;
  throw std::runtime_error(
      "no C++ compiler: install g++, or name one in POPC_CXX");
}

} // namespace ipumodel
