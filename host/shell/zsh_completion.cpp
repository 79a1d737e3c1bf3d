#include "host/shell/completion_scripts.hpp"
#include "host/shell/shell_words.hpp"

#include <CLI/StringTools.hpp>
#include <sstream>

namespace popscope::host {

namespace {

// Adds what a value may be, or says what it is.
std::string zshChoices(const ValueEntry &value) {
  if (!hasChoices(value))
    return "_message " + quoted(value.shown);
  std::string text;
  if (!value.words.empty())
    text += "compadd -- " + joined(value.words, " ");
  if (value.mayBeFile || value.mayBeDirectory)
    text += std::string(text.empty() ? "" : "; ") +
            (value.mayBeFile ? "_files" : "_files -/");
  return text;
}

// The word and its help, as _describe takes them: a colon ends the word.
std::string described(const std::string &word, const std::string &help) {
  return quoted(CLI::detail::find_and_replace(word, ":", "\\:") + ":" +
                briefHelp(help));
}

void addOptions(std::ostream &out, const CommandEntry &command) {
  out << "      entries=(\n";
  for (const OptionEntry &option : command.options)
    for (const std::string &name : option.names)
      out << "        " << described(name, option.help) << "\n";
  out << "      )\n"
      << "      _describe -o option entries\n";
}

void addSubcommands(std::ostream &out, const CommandEntry &command,
                    const std::vector<CommandEntry> &table) {
  out << "        entries=(\n";
  for (const CommandEntry &entry : table)
    if (entry.title == command.title + " " + entry.name())
      out << "          " << described(entry.name(), entry.description) << "\n";
  out << "        )\n"
      << "        _describe command entries\n";
}

void addCommand(std::ostream &out, const CommandEntry &command,
                const std::vector<CommandEntry> &table) {
  out << "    (" << quoted(command.title) << ")\n"
      << "      case $previous in\n";
  for (const OptionEntry &option : command.options)
    if (needsValue(option))
      out << "        (" << joined(option.names, "|") << ") "
          << zshChoices(option.value) << "; return ;;\n";
  out << "      esac\n";
  const ValueEntry operand = operandOf(command);
  if (hasChoices(operand)) {
    out << "      if [[ $PREFIX != -* ]]; then\n";
    if (!command.subcommands.empty())
      addSubcommands(out, command, table);
    else
      out << "        " << zshChoices(operand) << "\n";
    out << "        return\n"
        << "      fi\n";
  }
  addOptions(out, command);
  out << "      ;;\n";
}

} // namespace

// The script works as a file of $fpath, where it is the body of the function,
// and when it is read by source.
std::string zshCompletion(const std::vector<CommandEntry> &table) {
  const std::string program = table.front().title;
  std::ostringstream out;
  out << "#compdef " << program << "\n"
      << "# Completes " << program << " in zsh; made by: " << program
      << " completions zsh\n"
      << "_" << program << "() {\n"
      << "  local command=" << program << " word previous=${words[CURRENT-1]}\n"
      << "  local -a entries\n"
      << "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
      << "    case \"$command $word\" in\n"
      << "      (" << quotedTitles(table, "|") << ") command+=\" $word\" ;;\n"
      << "    esac\n"
      << "  done\n"
      << "  if [[ $PREFIX == --*=* ]]; then\n"
      << "    previous=${PREFIX%%=*}\n"
      << "    compset -P '*='\n"
      << "  fi\n"
      << "  case $command in\n";
  for (const CommandEntry &command : table)
    addCommand(out, command, table);
  out << "  esac\n"
      << "}\n"
      << "if [[ $funcstack[1] == _" << program << " ]]; then\n"
      << "  _" << program << " \"$@\"\n"
      << "else\n"
      << "  compdef _" << program << " " << program << "\n"
      << "fi\n";
  return out.str();
}

} // namespace popscope::host
