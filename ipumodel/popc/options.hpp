// popc's command line.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace ipumodel::popc {

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  enum class Action { compile, help, version, listTargets };
  Action action = Action::compile;

  std::vector<std::string> inputs; // "-" is C++ from standard input
  std::string output = "a.gp";
  std::vector<std::string> targets{"cpu"};

  // Flags for the compiler, by who needs them. preprocessor: what a source
  // says (-I, -D, ...). dependencies: -MD and kin, for the one preprocessing
  // run. compiler: how it is compiled (-O, -W, -f, ...) and all unknown ones.
  std::string standard = "-std=c++17";
  std::vector<std::string> preprocessorFlags;
  std::vector<std::string> dependencyFlags;
  std::vector<std::string> compilerFlags{"-O3"};
  bool debugInfo = false;
};

// `arguments` without the program's name. Throws UsageError.
Options parseOptions(const std::vector<std::string> &arguments);

// Whether the value of this one of Options::preprocessorFlags is the next of
// them.
bool takesNextArgument(const std::string &preprocessorFlag);

extern const char *const kHelp;
extern const char *const kTargets; // all that --target accepts, comma-separated

} // namespace ipumodel::popc
