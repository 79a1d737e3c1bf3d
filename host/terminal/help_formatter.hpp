// How --help looks: descriptions are wrapped and end with the default value.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <string>

namespace popscope::host {

class HelpFormatter : public CLI::Formatter {
public:
  std::string make_description(const CLI::App *app) const override;
  std::string make_subcommand(const CLI::App *command) const override;
  std::string make_help(const CLI::App *app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option_opts(const CLI::Option *option) const override;
  std::string make_option_desc(const CLI::Option *option) const override;
};

} // namespace popscope::host
