#include "popc/tool_paths.hpp"

#include <filesystem>
#include <stdexcept>

namespace ipumodel::popc {
namespace fs = std::filesystem;
namespace {

bool exist(const ToolPaths &paths) {
  return fs::exists(paths.poplarIncludes + "/poplar/Vertex.hpp") &&
         fs::exists(paths.codeletIncludes + "/print.h") &&
         fs::exists(paths.abiHeader);
}

} // namespace

ToolPaths findToolPaths() {
  const fs::path prefix =
      fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  const fs::path support = prefix / "lib/ipumodel/popc";
  ToolPaths installed{prefix / "include", support / "include",
                      support / "codelet_abi.hpp"};
  if (exist(installed))
    return installed;
  const std::string source = IPUMODEL_SOURCE_DIR;
  ToolPaths built{source + "/include", source + "/popc/include",
                  source + "/poplar/codelet/codelet_abi.hpp"};
  if (exist(built))
    return built;
  throw std::runtime_error("cannot find poplar/Vertex.hpp in " +
                           installed.poplarIncludes + " or " +
                           built.poplarIncludes);
}

} // namespace ipumodel::popc
