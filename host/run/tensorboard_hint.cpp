#include "host/run/tensorboard_hint.hpp"

#include "text/quoting.hpp"

#include <system_error>

namespace popscope::host {

namespace fs = std::filesystem;

std::string tensorboardCommand(const fs::path &program,
                               const fs::path &workingDirectory,
                               const std::string &logDirectory) {
  const fs::path script = "scripts/tensorboard";
  // <checkout>/build/<preset>/bin/popscope
  const fs::path checkout =
      program.parent_path().parent_path().parent_path().parent_path();
  std::error_code ignored;
  const std::string log = text::shellWord(logDirectory);
  if (program.empty() || !fs::exists(checkout / script, ignored))
    return "popscope tensorboard " + log;
  const std::string command =
      fs::equivalent(checkout, workingDirectory, ignored)
          ? "./" + script.string()
          : text::shellWord((checkout / script).string());
  return command + " " + log;
}

std::string tensorboardCommand(const std::string &logDirectory) {
  std::error_code ignored;
  return tensorboardCommand(fs::read_symlink("/proc/self/exe", ignored),
                            fs::current_path(ignored), logDirectory);
}

std::string debuggerHint(const std::string &tensorboardCommand) {
  const bool installsIt = tensorboardCommand.rfind("popscope ", 0) != 0;
  return "The health of its tensors: " + tensorboardCommand +
         "\n  on the page Debugger V2, in the list of inactive pages" +
         (installsIt ? ""
                     : "; it needs TensorFlow installed beside TensorBoard");
}

} // namespace popscope::host
