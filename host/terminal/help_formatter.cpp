#include "host/terminal/help_formatter.hpp"

#include "text/folded.hpp"

#include <sstream>
#include <utility>

namespace popscope::host {

namespace {

constexpr std::size_t kWidth = 80; // of a terminal

std::string wrapped(const std::string &text, std::size_t width) {
  return text::folded(text, width, "");
}

} // namespace

std::string helpWithDefault(const CLI::Option &option) {
  const std::string value = option.get_default_str();
  return option.get_description() +
         (value.empty() ? "" : " (default: " + value + ")");
}

std::string HelpFormatter::make_description(const CLI::App *app) const {
  return wrapped(app->get_description(), kWidth) + "\n";
}

std::string HelpFormatter::make_subcommand(const CLI::App *command) const {
  std::ostringstream out;
  CLI::detail::format_help(
      out, command->get_name(),
      wrapped(command->get_description(), kWidth - get_column_width()),
      get_column_width());
  return out.str();
}

std::string HelpFormatter::make_help(const CLI::App *app, std::string name,
                                     CLI::AppFormatMode mode) const {
  return CLI::detail::find_and_replace(
      CLI::Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n");
}

std::string
HelpFormatter::make_group(std::string group, bool isPositional,
                          std::vector<const CLI::Option *> options) const {
  return group == kHiddenGroup
             ? ""
             : CLI::Formatter::make_group(std::move(group), isPositional,
                                          std::move(options));
}

std::string HelpFormatter::make_option_opts(const CLI::Option *option) const {
  return option->get_default_str().empty()
             ? CLI::Formatter::make_option_opts(option)
             : " " + option->get_type_name();
}

std::string HelpFormatter::make_option_desc(const CLI::Option *option) const {
  return wrapped(helpWithDefault(*option), kWidth - get_column_width());
}

} // namespace popscope::host
