#include "host/shell/completion_scripts.hpp"
#include "host/shell/shell_words.hpp"

#include <sstream>

namespace popscope::host {

namespace {

// Assignments of what a value may be: words='a b' paths=-d
std::string choices(const ValueEntry &value) {
  std::string text;
  if (!value.words.empty())
    text += "words=" + quoted(joined(value.words, " "));
  if (value.mayBeFile || value.mayBeDirectory)
    text += std::string(text.empty() ? "" : " ") +
            (value.mayBeFile ? "paths=-f" : "paths=-d");
  return text;
}

void addCommand(std::ostream &out, const CommandEntry &command) {
  out << "  " << quoted(command.title) << ")\n"
      << "    case $previous in\n";
  std::vector<OptionEntry> withoutChoices;
  for (const OptionEntry &option : command.options)
    if (hasChoices(option.value))
      out << "    " << joined(option.names, " | ") << ") "
          << choices(option.value) << " ;;\n";
    else if (needsValue(option))
      withoutChoices.push_back(option);
  if (!withoutChoices.empty())
    out << "    " << joined(namesOf(withoutChoices), " | ") << ") return ;;\n";
  out << "    *)\n"
      << "      words=" << quoted(joined(namesOf(command.options), " "))
      << "\n";
  const ValueEntry operand = operandOf(command);
  if (hasChoices(operand))
    out << "      [[ $current == -* ]] || {"
        << (operand.words.empty() ? " words=; " : " ") << choices(operand)
        << "; }\n";
  out << "      ;;\n"
      << "    esac\n"
      << "    ;;\n";
}

} // namespace

// bash takes '=' as a word, so that --device=m comes in three.
std::string bashCompletion(const std::vector<CommandEntry> &table) {
  const std::string program = table.front().title;
  std::ostringstream out;
  out << "# Completes " << program << " in bash; made by: " << program
      << " completions bash\n"
      << "_" << program << "() {\n"
      << "  local current=${COMP_WORDS[COMP_CWORD]}\n"
      << "  local previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
      << "  local command=" << program << " word words= paths=\n"
      << "  COMPREPLY=()\n"
      << "  if [[ $current == = ]]; then\n"
      << "    current=\n"
      << "  elif [[ $previous == = ]]; then\n"
      << "    previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
      << "  fi\n"
      << "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      << "    case \"$command $word\" in\n"
      << "    " << quotedTitles(table, " | ") << ") command+=\" $word\" ;;\n"
      << "    esac\n"
      << "  done\n"
      << "  case $command in\n";
  for (const CommandEntry &command : table)
    addCommand(out, command);
  out << "  esac\n"
      << "  mapfile -t COMPREPLY < <(\n"
      << "    compgen -W \"$words\" -- \"$current\"\n"
      << "    [[ -z $paths ]] || compgen \"$paths\" -- \"$current\"\n"
      << "  )\n"
      << "  [[ -z $paths ]] || compopt -o filenames 2>/dev/null\n"
      << "}\n"
      << "complete -F _" << program << " " << program << "\n";
  return out.str();
}

} // namespace popscope::host
