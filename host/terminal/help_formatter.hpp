// How --help looks: descriptions are wrapped and end with the default value.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

namespace popscope::host {

// The group of options that work but are not shown. CLI11's own way, a group
// without a name, would leave them nameless in messages too.
constexpr char kHiddenGroup[] = "hidden";

// What the option is for, and its default value.
std::string helpWithDefault(const CLI::Option &option);

class HelpFormatter : public CLI::Formatter {
public:
  std::string make_description(const CLI::App *app) const override;
  std::string make_subcommand(const CLI::App *command) const override;
  std::string make_help(const CLI::App *app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string
  make_group(std::string group, bool isPositional,
             std::vector<const CLI::Option *> options) const override;
  std::string make_option_opts(const CLI::Option *option) const override;
  std::string make_option_desc(const CLI::Option *option) const override;
};

} // namespace popscope::host
