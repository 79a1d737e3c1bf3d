#include "host/commands/health_command.hpp"

#include "text/json_value.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace popscope::host {

namespace {

struct HealthOptions {
  std::string run;
  bool json = false;
};

std::string read(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in)
    throw BadInput(file.parent_path().string() +
                   ": no popscope.json; name the directory of a run, such as "
                   "logs/cnn-20260101-120000");
  return text.str();
}

// The line of popscope.json that has the health, as it stands there.
std::string healthLine(const std::string &manifest) {
  std::istringstream lines(manifest);
  const std::string key = "\"health\": ";
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(key);
    if (at == std::string::npos)
      continue;
    const std::size_t end = line.rfind('}');
    return line.substr(at + key.size(), end + 1 - at - key.size());
  }
  return "null";
}

int showHealth(const HealthOptions &options, std::ostream &out) {
  const std::filesystem::path file =
      std::filesystem::path(options.run) / "popscope.json";
  const std::string manifest = read(file);
  text::JsonValue health;
  try {
    health = text::parseJson(manifest)["health"];
  } catch (const std::invalid_argument &error) {
    throw BadInput(file.string() + ": " + error.what());
  }
  if (!health["watched"].boolOr(false))
    throw BadInput(options.run + ": its health was not watched, because of "
                                 "--no-health or an older version");
  const bool isHealthy = health["first_not_finite"].isNull();
  if (options.json) {
    out << healthLine(manifest) << '\n';
  } else if (isHealthy) {
    out << "healthy"
        << (health["finished"].boolOr(false) ? "" : " so far; not finished")
        << ": all elements of " << health["tensors"].numberOr(0)
        << " tensors were finite at every update\n";
  } else {
    for (const text::JsonValue &line : health["lines"].items())
      out << line.stringOr("") << '\n';
  }
  return isHealthy ? exitOk : exitNotFinite;
}

} // namespace

void addHealthCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<HealthOptions>();
  CLI::App *command = app.add_subcommand(
      "health", "Say which tensor of a run was not finite first, and why");
  command->add_option("run", options->run, "The directory of a run")
      ->required()
      ->type_name("RUN");
  command->add_flag("--json", options->json, "Print it as JSON");
  command->footer(
      "The run may be finished or still going on. The exit code is 0 if all "
      "tensors were\nfinite, 3 if one was not, 2 if it is not known.\n\n"
      "Example:\n  popscope health logs/cnn-20260101-120000");
  command->callback([options, &chosen] {
    chosen = [options] { return showHealth(*options, std::cout); };
  });
}

} // namespace popscope::host
