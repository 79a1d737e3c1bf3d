// Options -> run -> exit code.
#include "host/command.hpp"
#include "host/events_command.hpp"
#include "host/help_formatter.hpp"
#include "host/taps_command.hpp"
#include "host/train_command.hpp"

#include <poplar/Graph.hpp>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace popscope::host;

void complain(const char *message) {
  std::cerr << "popscope: " << message << '\n';
}

int run(int argc, char **argv) {
  CLI::App app("PopScope: trains on Poplar and shows what happens inside.");
  app.name("popscope");
  app.formatter(std::make_shared<HelpFormatter>());
  app.add_flag_callback(
      "--version",
      [] {
        std::cout << "popscope " POPSCOPE_VERSION ", Poplar "
                  << std::string(poplar::versionString()) << '\n';
        throw CLI::Success();
      },
      "Print the versions of PopScope and of the engine");
  app.footer("Example:\n  popscope train --preset cnn");

  Command command;
  addTrainCommand(app, command, std::vector<std::string>(argv, argv + argc));
  addTapsCommand(app, command);
  addEventsCommand(app, command);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    throw BadInput(error.what());
  }
  if (!command)
    throw BadInput("a subcommand is needed; popscope --help lists them");
  return command();
}

} // namespace

int main(int argc, char **argv) {
  try {
    const int code = run(argc, argv);
    std::cout.flush();
    if (!std::cout)
      throw std::runtime_error("standard output cannot be written");
    return code;
  } catch (const BadInput &error) {
    complain(error.what());
    return exitBadInput;
  } catch (const std::exception &error) {
    complain(error.what());
    return exitFailed;
  }
}
