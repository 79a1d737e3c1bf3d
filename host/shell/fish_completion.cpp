#include "host/shell/completion_scripts.hpp"
#include "host/shell/shell_words.hpp"

#include <CLI/StringTools.hpp>
#include <sstream>

namespace popscope::host {

namespace {

// Inside single quotes of fish, a backslash needs another one.
std::string fishQuoted(const std::string &text) {
  return quoted(CLI::detail::find_and_replace(text, "\\", "\\\\"));
}

// What a value may be, as options of `complete`. -x: it has one, and no other
// than these.
std::string fishChoices(const ValueEntry &value) {
  std::string text = value.mayBeFile ? " -F" : "";
  std::vector<std::string> offers = value.words;
  if (value.mayBeDirectory && !value.mayBeFile)
    offers.push_back("(__fish_complete_directories)");
  if (!offers.empty())
    text += " -a " + fishQuoted(joined(offers, " "));
  return text;
}

void addOption(std::ostream &out, const std::string &condition,
               const OptionEntry &option) {
  out << condition;
  for (const std::string &name : option.names)
    out << (name.rfind("--", 0) == 0 ? " -l " + name.substr(2)
                                     : " -s " + name.substr(1));
  if (needsValue(option))
    out << (option.value.mayBeFile ? " -r" : " -x")
        << fishChoices(option.value);
  out << " -d " << fishQuoted(briefHelp(option.help)) << "\n";
}

} // namespace

std::string fishCompletion(const std::vector<CommandEntry> &table) {
  const std::string program = table.front().title;
  std::ostringstream out;
  out << "# Completes " << program << " in fish; made by: " << program
      << " completions fish\n"
      << "# Whether the words so far chose this command.\n"
      << "function __" << program << "_is\n"
      << "  set -l command " << program << "\n"
      << "  for word in (commandline -opc)[2..-1]\n"
      << "    switch \"$command $word\"\n"
      << "      case " << quotedTitles(table, " ") << "\n"
      << "        set command \"$command $word\"\n"
      << "    end\n"
      << "  end\n"
      << "  test \"$command\" = \"$argv\"\n"
      << "end\n"
      << "complete -c " << program << " -f\n";
  for (const CommandEntry &command : table) {
    const std::string condition = "complete -c " + program + " -n '__" +
                                  program + "_is " + command.title + "'";
    for (const CommandEntry &entry : table)
      if (entry.title == command.title + " " + entry.name())
        out << condition << " -a " << entry.name() << " -d "
            << fishQuoted(briefHelp(entry.description)) << "\n";
    for (const OptionEntry &argument : command.arguments)
      if (hasChoices(argument.value))
        out << condition << fishChoices(argument.value) << "\n";
    for (const OptionEntry &option : command.options)
      addOption(out, condition, option);
  }
  return out.str();
}

} // namespace popscope::host
