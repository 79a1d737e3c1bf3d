// Words of a shell script.
#pragma once

#include "host/shell/command_table.hpp"

#include <string>
#include <vector>

namespace popscope::host {

inline std::string joined(const std::vector<std::string> &words,
                          const std::string &separator) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : separator) + word;
  return text;
}

// In single quotes, as bash and zsh read them; fish reads the same unless the
// text has a backslash.
inline std::string quoted(const std::string &text) {
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

// The titles of all commands but the program: 'popscope train' 'popscope taps'
inline std::string quotedTitles(const std::vector<CommandEntry> &table,
                                const std::string &separator) {
  std::vector<std::string> titles;
  for (std::size_t i = 1; i < table.size(); ++i)
    titles.push_back(quoted(table[i].title));
  return joined(titles, separator);
}

inline std::vector<std::string>
namesOf(const std::vector<OptionEntry> &options) {
  std::vector<std::string> names;
  for (const OptionEntry &option : options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

// What may stand where no option does: subcommands, or the values of arguments.
inline ValueEntry operandOf(const CommandEntry &command) {
  ValueEntry operand;
  operand.words = command.subcommands;
  for (const OptionEntry &argument : command.arguments) {
    operand.shown = argument.value.shown;
    operand.words.insert(operand.words.end(), argument.value.words.begin(),
                         argument.value.words.end());
    operand.mayBeFile |= argument.value.mayBeFile;
    operand.mayBeDirectory |= argument.value.mayBeDirectory;
  }
  return operand;
}

// The next word is its value, whatever it is.
inline bool needsValue(const OptionEntry &option) {
  return !option.value.shown.empty() && !option.value.isOptional;
}

inline bool hasChoices(const ValueEntry &value) {
  return !value.words.empty() || value.mayBeFile || value.mayBeDirectory;
}

} // namespace popscope::host
