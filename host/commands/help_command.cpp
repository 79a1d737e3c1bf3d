#include "host/commands/subcommands.hpp"
#include "host/run/output_file.hpp"
#include "host/shell/man_page.hpp"
#include "host/terminal/typed_options.hpp"
#include "text/nearest_names.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <system_error>

namespace popscope::host {

namespace {

constexpr char kVersion[] = "popscope " POPSCOPE_VERSION;

struct HelpOptions {
  std::vector<std::string> words; // of a command
  bool man = false;
  std::string manDirectory;
};

struct Named {
  const CLI::App *command;
  std::string title;
};

Named commandNamed(const CLI::App &app, const std::vector<std::string> &words) {
  Named named{&app, app.get_name()};
  for (const std::string &word : words) {
    const CLI::App *next = nullptr;
    std::vector<std::string> names;
    for (const CLI::App *subcommand : named.command->get_subcommands({})) {
      names.push_back(subcommand->get_name());
      if (subcommand->get_name() == word)
        next = subcommand;
    }
    if (!next)
      throw BadInput(word + ": not a command of " + named.title +
                     (names.empty() ? "; popscope help lists all"
                                    : "; the nearest are " +
                                          text::nearestNames(word, names)));
    named = {next, named.title + " " + word};
  }
  return named;
}

void writeManPages(const std::vector<CommandEntry> &table,
                   const std::filesystem::path &directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw BadInput("--man-pages " + directory.string() + ": " +
                   error.message() + "; name another directory");
  for (const CommandEntry &command : table) {
    OutputFile file(directory / manPageFile(command), IfExists::replace, {});
    std::ofstream out = file.open();
    out << manPage(command, table, kVersion);
    file.commit(out);
  }
}

int help(const CLI::App &app, const HelpOptions &options, std::ostream &out) {
  const Named named = commandNamed(app, options.words);
  const std::vector<CommandEntry> table = commandTable(app);
  if (!options.manDirectory.empty())
    writeManPages(table, options.manDirectory);
  else if (options.man)
    for (const CommandEntry &command : table)
      out << (command.title == named.title ? manPage(command, table, kVersion)
                                           : "");
  else
    // App::help() would show the help of this subcommand, which was chosen.
    out << app.get_formatter()->make_help(named.command, named.title,
                                          CLI::AppFormatMode::Normal);
  return exitOk;
}

} // namespace

void addHelpCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<HelpOptions>();
  CLI::App *command = app.add_subcommand(
      "help", "Show the help of a command, or make man pages of it");
  addWords(*command, "command", options->words, "COMMAND",
           "The command (default: popscope itself)")
      ->allow_extra_args(); // a positional takes one word without it
  command->add_flag("--man", options->man, "Print it as a man page");
  command
      ->add_option("--man-pages", options->manDirectory,
                   "Write the man pages of all commands into this directory")
      ->type_name("DIR");
  command->footer("Examples:\n"
                  "  popscope help events export\n"
                  "  popscope help train --man | man -l -\n"
                  "  popscope help --man-pages ~/.local/share/man/man1");
  command->callback([&app, options, &chosen] {
    chosen = [&app, options] { return help(app, *options, std::cout); };
  });
}

} // namespace popscope::host
