#include "host/shell/command_table.hpp"

#include "host/terminal/help_formatter.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

namespace popscope::host {

namespace {

bool hasLowerCase(const std::string &text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::islower(c) != 0; });
}

// In --help, capitals stand for something else and words in other letters for
// themselves: FILE|default. CLI11 lists words as KIND:{scalars,images}.
ValueEntry valueOf(const CLI::Option &option) {
  ValueEntry value;
  if (option.get_items_expected_max() == 0)
    return value;
  const bool isArgument = option.get_positional();
  value.shown = option.get_type_name();
  if (value.shown.empty() && isArgument)
    value.shown = option.get_name();
  value.isOptional = !isArgument && option.get_items_expected_min() == 0;

  std::string alternatives = value.shown;
  char separator = '|';
  const std::size_t brace = alternatives.find(":{");
  if (brace != std::string::npos) {
    alternatives.erase(0, brace + 2);
    alternatives.erase(alternatives.find('}'));
    separator = ',';
    value.shown = CLI::detail::find_and_replace(alternatives, ",", "|");
  }
  for (const std::string &word : CLI::detail::split(alternatives, separator))
    if (hasLowerCase(word))
      value.words.push_back(word);
    else if (word == "FILE" || word == "PATH")
      value.mayBeFile = true;
    else if (word == "DIR" || word == "RUN")
      value.mayBeDirectory = true;
  return value;
}

OptionEntry entryOf(const CLI::Option &option) {
  OptionEntry entry;
  if (option.get_positional()) {
    entry.names.push_back(option.get_name());
  } else {
    for (const std::string &name : option.get_snames())
      entry.names.push_back("-" + name);
    for (const std::string &name : option.get_lnames())
      entry.names.push_back("--" + name);
  }
  entry.group = option.get_group();
  entry.help = helpWithDefault(option);
  entry.value = valueOf(option);
  return entry;
}

void append(const CLI::App &command, const std::string &title,
            std::vector<CommandEntry> &table) {
  CommandEntry entry;
  entry.title = title;
  entry.description = command.get_description();
  entry.footer = command.get_footer();
  for (const CLI::Option *option : command.get_options())
    if (option->get_group() != kHiddenGroup)
      (option->get_positional() ? entry.arguments : entry.options)
          .push_back(entryOf(*option));
  for (const CLI::App *subcommand : command.get_subcommands({}))
    entry.subcommands.push_back(subcommand->get_name());
  table.push_back(entry);
  for (const CLI::App *subcommand : command.get_subcommands({}))
    append(*subcommand, title + " " + subcommand->get_name(), table);
}

} // namespace

std::string CommandEntry::name() const {
  return title.substr(title.rfind(' ') + 1); // npos + 1 is 0
}

std::vector<CommandEntry> commandTable(const CLI::App &program) {
  std::vector<CommandEntry> table;
  append(program, program.get_name(), table);
  for (CommandEntry &command : table)
    for (OptionEntry &argument : command.arguments)
      if (argument.value.shown.rfind("COMMAND", 0) == 0)
        argument.value.words = table.front().subcommands;
  return table;
}

std::string briefHelp(const std::string &help) {
  std::size_t end = help.size();
  for (const char *pause : {"; ", ": ", ". ", " ("})
    end = std::min(end, help.find(pause, help.find(' ')));
  return help.substr(0, end);
}

} // namespace popscope::host
