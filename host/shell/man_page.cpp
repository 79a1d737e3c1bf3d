#include "host/shell/man_page.hpp"

#include "host/shell/shell_words.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace popscope::host {

namespace {

// Characters that groff would read as commands, or print as others: an option
// copied from the page has to work.
std::string escaped(const std::string &text) {
  std::string result;
  for (const char c : text)
    switch (c) {
    case '\\':
      result += "\\e";
      break;
    case '-':
      result += "\\-";
      break;
    case '\'':
      result += "\\(aq";
      break;
    case '"':
      result += "\\(dq";
      break;
    case '`':
      result += "\\(ga";
      break;
    case '^':
      result += "\\(ha";
      break;
    case '~':
      result += "\\(ti";
      break;
    default:
      result += c;
    }
  return result.rfind('.', 0) == 0 ? "\\&" + result : result;
}

std::string dashed(std::string title) {
  std::replace(title.begin(), title.end(), ' ', '-');
  return title;
}

std::string upper(std::string text) {
  for (char &c : text)
    c = char(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

void addSynopsis(std::ostream &out, const CommandEntry &command) {
  out << ".SH SYNOPSIS\n.B " << escaped(command.title) << "\n[options]\n";
  if (!command.subcommands.empty())
    out << ".I command\n";
  for (const OptionEntry &argument : command.arguments)
    out << ".I " << escaped(argument.names.front()) << "\n";
}

void addOptions(std::ostream &out, const std::vector<OptionEntry> &options) {
  for (const OptionEntry &option : options) {
    out << ".TP\n\\fB" << escaped(joined(option.names, ", ")) << "\\fR";
    if (!option.value.shown.empty() && option.value.shown != option.names[0])
      out << " \\fI" << escaped(option.value.shown) << "\\fR";
    out << "\n" << escaped(option.help) << "\n";
  }
}

// Options by their headings, which come in the order of their first options.
void addOptionGroups(std::ostream &out, const CommandEntry &command) {
  std::vector<std::string> groups;
  for (const OptionEntry &option : command.options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  for (const std::string &group : groups) {
    std::vector<OptionEntry> options;
    for (const OptionEntry &option : command.options)
      if (option.group == group)
        options.push_back(option);
    if (group == "Options")
      out << ".SH OPTIONS\n";
    else
      out << ".SS " << escaped(group) << "\n";
    addOptions(out, options);
  }
}

// Lines that begin with a space stay as they are; others are filled. The line
// "Examples:" begins a section.
void addFooter(std::ostream &out, const std::string &footer) {
  std::istringstream lines(footer);
  bool isLiteral = false, isExample = false, hasNotes = false;
  for (std::string line; std::getline(lines, line);) {
    const bool wasLiteral = isLiteral;
    isLiteral = line.rfind(' ', 0) == 0;
    if (wasLiteral && !isLiteral)
      out << ".EE\n.RE\n";
    if (line == "Examples:" || line == "Example:") {
      out << ".SH EXAMPLES\n";
      isExample = true;
      continue;
    }
    if (!hasNotes && !isExample)
      out << ".SH NOTES\n";
    hasNotes = true;
    if (isLiteral && !wasLiteral)
      out << (isExample ? ".RS 0\n.EX\n" : ".PP\n.RS 0\n.EX\n");
    if (line.empty())
      out << ".PP\n";
    else
      out << escaped(isLiteral ? line.substr(std::min<std::size_t>(
                                     2, line.find_first_not_of(' ')))
                               : line)
          << "\n";
  }
  if (isLiteral)
    out << ".EE\n.RE\n";
}

} // namespace

std::string manPageFile(const CommandEntry &command) {
  return dashed(command.title) + ".1";
}

std::string manPage(const CommandEntry &command,
                    const std::vector<CommandEntry> &table,
                    const std::string &version) {
  std::vector<std::string> related;
  std::ostringstream subcommands;
  const std::string parent =
      command.title.substr(0, command.title.rfind(' ') == std::string::npos
                                  ? 0
                                  : command.title.rfind(' '));
  for (const CommandEntry &entry : table) {
    const bool isSubcommand = entry.title == command.title + " " + entry.name();
    if (isSubcommand)
      subcommands << ".TP\n\\fB" << escaped(entry.name()) << "\\fR\n"
                  << escaped(entry.description) << "\n";
    if (isSubcommand || entry.title == parent)
      related.push_back("\\fB" + escaped(dashed(entry.title)) + "\\fR(1)");
  }

  std::ostringstream out;
  out << ".TH " << escaped(upper(dashed(command.title))) << " 1 \"\" \""
      << escaped(version) << "\" \"User Commands\"\n"
      << ".SH NAME\n"
      << escaped(dashed(command.title)) << " \\- "
      << escaped(command.description) << "\n";
  addSynopsis(out, command);
  out << ".SH DESCRIPTION\n" << escaped(command.description) << "\n";
  if (!command.subcommands.empty())
    out << ".SH COMMANDS\n" << subcommands.str();
  if (!command.arguments.empty()) {
    out << ".SH ARGUMENTS\n";
    addOptions(out, command.arguments);
  }
  addOptionGroups(out, command);
  addFooter(out, command.footer);
  if (!related.empty())
    out << ".SH SEE ALSO\n" << joined(related, ",\n") << "\n";
  return out.str();
}

} // namespace popscope::host
