// Options -> run -> exit code.
#include "host/command.hpp"
#include "host/train_command.hpp"

#include <poplar/Graph.hpp>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <string>

namespace {

using namespace popscope::host;

int fail(const char *message, ExitCode code) {
  std::cerr << "popscope: " << message << '\n';
  return code;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("PopScope: trains on Poplar and shows what happens inside.");
  app.name("popscope");
  app.require_subcommand(1);
  app.add_flag_callback(
      "--version",
      [] {
        std::cout << "popscope " POPSCOPE_VERSION ", Poplar "
                  << std::string(poplar::versionString()) << '\n';
        throw CLI::Success();
      },
      "Print the versions of PopScope and of the engine");
  app.footer("Example:\n  popscope train --data data/mnist --epochs 5");

  Command command;
  addTrainCommand(app, command);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    return fail(error.what(), exitBadInput);
  }

  try {
    return command();
  } catch (const BadInput &error) {
    return fail(error.what(), exitBadInput);
  } catch (const std::exception &error) {
    return fail(error.what(), exitFailed);
  }
}
