// From the command line to a command to an exit code.
#include "host/command.hpp"
#include "host/commands/subcommands.hpp"
#include "host/commands/train_options_parser.hpp"
#include "host/terminal/help_formatter.hpp"
#include "host/terminal/problem.hpp"
#include "host/terminal/typed_options.hpp"
#include "text/nearest_names.hpp"

#include <poplar/Graph.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace popscope::host;

// The command that the words so far chose, and its title: popscope events cat.
struct Chosen {
  const CLI::App *command;
  std::string title;
};

Chosen chosenOf(const CLI::App &app) {
  Chosen chosen{&app, app.get_name()};
  while (!chosen.command->get_subcommands().empty()) {
    chosen.command = chosen.command->get_subcommands().front();
    chosen.title += " " + chosen.command->get_name();
  }
  return chosen;
}

// An unknown option or subcommand, with the names that it may have meant.
[[noreturn]] void refuseUnknown(const CLI::App &app, const std::string &word) {
  const auto [command, title] = chosenOf(app);
  std::vector<std::string> names;
  const bool isOption = word.rfind('-', 0) == 0;
  if (isOption)
    for (const CLI::Option *option : command->get_options())
      for (const std::string &name : option->get_lnames())
        names.push_back("--" + name);
  else
    for (const CLI::App *subcommand : command->get_subcommands({}))
      names.push_back(subcommand->get_name());
  const std::string of = isOption        ? ": no option of "
                         : names.empty() ? ": not expected by "
                                         : ": not a command of ";
  throw BadInput(
      word + of + title +
      (names.empty()
           ? std::string()
           : "; the nearest are " + popscope::text::nearestNames(word, names)));
}

// An option that takes one value and was given several or none.
void refuseMismatch(const CLI::App &app, const CLI::ParseError &error) {
  for (const CLI::Option *option : chosenOf(app).command->get_options()) {
    const std::string name = option->get_name();
    if (std::string(error.what()).rfind(name + ": ", 0) != 0)
      continue;
    if (option->count() == 0)
      throw BadInput(name + " needs a value: " + option->get_type_name());
    if (option->get_items_expected_max() == 1)
      throw BadInput(name + " is given more than once (" +
                     CLI::detail::join(option->results(), ", ") +
                     "); it takes one value");
  }
}

// CLI11 would take the next word as the value of "--run=".
void refuseMissingValues(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) == 0 && word.find('=') == word.size() - 1)
      throw BadInput(word + ": the value is empty; give one or leave it out");
  }
}

// A file opened later would take the place of a standard stream that is closed,
// and get what is printed. Reading from the null device gives nothing, writing
// to it this way fails.
void occupyStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) == -1)
      (void)::open("/dev/null", O_RDONLY); // takes the lowest number free
}

int run(int argc, char **argv) {
  CLI::App app("PopScope: trains on Poplar and shows what happens inside.");
  app.name("popscope");
  app.require_subcommand(0, 1); // in popscope help train, train is a word
  app.formatter(std::make_shared<HelpFormatter>());
  app.add_flag_callback(
      "--version",
      [] {
        std::cout << "popscope " POPSCOPE_VERSION ", Poplar "
                  << std::string(poplar::versionString()) << '\n';
        throw CLI::Success();
      },
      "Print the versions of PopScope and of the engine");
  app.footer("Examples:\n"
             "  popscope train --preset cnn       # train, and log for "
             "TensorBoard\n"
             "  popscope taps --preset cnn        # what could be watched\n"
             "  popscope health logs/RUN          # what went bad first\n"
             "  popscope replay logs/RUN --update 137   # that update again\n"
             "  popscope diff logs/A logs/B       # where two runs part\n"
             "  popscope report logs/RUN -o FILE  # a page that shows a run\n"
             "  popscope control logs/RUN         # what is watched now\n"
             "  popscope prove --preset cnn       # taps change no bit\n"
             "  popscope events inspect logs      # what a log holds\n"
             "  popscope tensorboard              # the newest log in a "
             "browser");

  Command command;
  const std::vector<std::string> commandLine(argv, argv + argc);
  addTrainCommand(app, command, commandLine);
  addTapsCommand(app, command);
  addHealthCommand(app, command);
  addReplayCommand(app, command, commandLine);
  addDiffCommand(app, command);
  addReportCommand(app, command);
  addProveCommand(app, command, commandLine);
  addControlCommand(app, command);
  addEventsCommand(app, command);
  addTensorboardCommand(app, command);
  addPresetsCommand(app, command);
  addDevicesCommand(app, command);
  addHelpCommand(app, command);
  addCompletionsCommand(app, command);
  refuseBlankValues(app);

  refuseMissingValues(argc, argv);
  try {
    std::vector<std::string> words = withFaultsMarked(commandLine);
    std::reverse(words.begin(), words.end()); // as CLI11 takes them
    words.pop_back();
    app.parse(std::move(words));
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    const std::vector<std::string> unknown = app.remaining(true);
    const auto option =
        std::find_if(unknown.begin(), unknown.end(),
                     [](const auto &word) { return word.rfind('-', 0) == 0; });
    if (!unknown.empty())
      refuseUnknown(app, option == unknown.end() ? unknown.front() : *option);
    if (error.get_exit_code() == int(CLI::ExitCodes::ArgumentMismatch))
      refuseMismatch(app, error);
    throw BadInput(error.what());
  }
  if (!command)
    throw BadInput("a subcommand is needed; popscope --help lists them");
  return command();
}

} // namespace

int main(int argc, char **argv) {
  occupyStandardStreams();
  std::signal(SIGXFSZ, SIG_IGN); // a file too large is like a full disk
  try {
    const int code = run(argc, argv);
    std::cout.flush();
    if (!std::cout && code == exitOk)
      throw std::runtime_error("standard output cannot be written");
    return code;
  } catch (const BadInput &error) {
    printProblem(error.what());
    return exitBadInput;
  } catch (const std::exception &error) {
    printProblem(error.what());
    return exitFailed;
  }
}
