#include "host/commands/subcommands.hpp"
#include "host/shell/completion_scripts.hpp"
#include "host/terminal/typed_options.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

namespace popscope::host {

namespace {

using MakeScript = std::string (*)(const std::vector<CommandEntry> &);

} // namespace

void addCompletionsCommand(CLI::App &app, Command &chosen) {
  const auto makeScript = std::make_shared<MakeScript>();
  CLI::App *command = app.add_subcommand(
      "completions", "Print a script that makes a shell complete commands and "
                     "options when Tab is pressed");
  addChoice<MakeScript>(*command, "shell", *makeScript,
                        {{"bash", bashCompletion},
                         {"zsh", zshCompletion},
                         {"fish", fishCompletion}},
                        "The shell")
      ->required();
  command->footer(
      "cmake --install puts the scripts where the shells look for them. "
      "Without "
      "it, a\nline in the file that the shell reads at its start does the "
      "same: "
      "~/.bashrc,\n~/.zshrc (after compinit) or ~/.config/fish/config.fish.\n\n"
      "Examples:\n"
      "  popscope completions bash > popscope.bash\n"
      "  source <(popscope completions bash)    # bash; zsh likewise\n"
      "  popscope completions fish | source     # fish");
  command->callback([&app, makeScript, &chosen] {
    chosen = [&app, makeScript] {
      std::cout << (*makeScript)(commandTable(app));
      return exitOk;
    };
  });
}

} // namespace popscope::host
