#include "host/commands/checks_report.hpp"
#include "host/commands/subcommands.hpp"
#include "host/record/format_table.hpp"
#include "host/run/manifest_file.hpp"
#include "host/terminal/problem.hpp"
#include "host/terminal/typed_options.hpp"
#include "text/folded.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <unistd.h>

namespace popscope::host {

namespace {

struct HealthOptions {
  std::string run;
  std::string checks; // a file
  bool json = false;
  std::optional<outfeed::NumberFormat> format;
  std::optional<int> scale; // a power of two
};

// The line of popscope.json that has the health, as it stands there.
std::string healthLine(const std::string &run) {
  std::istringstream lines(readManifestText(run));
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

// What is wrong, as standard output can show it.
std::string shown(const std::string &line) {
  return text::highlighted(
      text::folded(line, text::columnsOfStream(STDOUT_FILENO)), STDOUT_FILENO);
}

void printVerdict(const text::JsonValue &health, bool isHealthy,
                  std::ostream &out) {
  for (const text::JsonValue &line : health["lines"].items())
    out << shown(line.stringOr("")) << '\n';
  if (!health["first_not_finite"].isNull() || !health["watched"].boolOr(false))
    return;
  out << (isHealthy ? "healthy" : "finite")
      << (health["finished"].boolOr(false) ? "" : " so far; not finished")
      << ": all elements of " << health["tensors"].numberOr(0)
      << " tensors were finite at every update\n";
}

int showChecks(const HealthOptions &options, const text::JsonValue &manifest,
               std::ostream &out) {
  const ChecksReport report = checkRun(options.run, manifest, options.checks);
  for (const std::string &line : report.damages)
    printProblem(line);
  if (options.json) {
    out << "{\"health\": " << healthLine(options.run)
        << ", \"checks\": " << toJson(report) << "}\n";
  } else {
    printVerdict(manifest["health"], report.findings.empty(), out);
    print(report, out);
  }
  const bool isHealthy = report.findings.empty() &&
                         manifest["health"]["first_not_finite"].isNull();
  return isHealthy ? exitOk : exitNotFinite;
}

int showHealth(const HealthOptions &options, std::ostream &out) {
  const text::JsonValue manifest = readManifest(options.run);
  const text::JsonValue &health = manifest["health"];
  if (!options.checks.empty())
    return showChecks(options, manifest, out);
  const std::vector<std::string> findings = recordedFindings(manifest);
  if (!health["watched"].boolOr(false) && findings.empty())
    throw BadInput(options.run + ": its health was not watched, because of "
                                 "--no-health or an older version");
  const bool isFinite = health["first_not_finite"].isNull();
  if (options.json) {
    out << healthLine(options.run) << '\n';
  } else {
    printVerdict(health, findings.empty(), out);
    for (const std::string &line : findings)
      out << shown(line) << '\n';
  }
  return isFinite && findings.empty() ? exitOk : exitNotFinite;
}

int showFormat(const HealthOptions &options, std::ostream &out) {
  readManifestText(options.run); // is it a run?
  const std::vector<TensorMagnitudes> tensors = recordedMagnitudes(options.run);
  if (tensors.empty())
    throw BadInput(options.run +
                   ": no histograms were recorded; train with --tap '* -> "
                   "shape', or with less than '*'");
  const int scale = options.scale.value_or(0);
  if (options.json) {
    out << formatJson(tensors, *options.format, scale) << '\n';
    return exitOk;
  }
  text::Table table(formatHeadings());
  for (const TensorMagnitudes &tensor : tensors)
    table.add(formatCells(tensor, *options.format, scale));
  if (isatty(STDOUT_FILENO)) {
    const std::size_t columns = text::sizeOfTerminal().columns;
    std::string hidden;
    for (const std::string &heading :
         table.dropToFit(columns, {"lost there", "top", "largest", "headroom"}))
      hidden += (hidden.empty() ? "" : ", ") + heading;
    table.print(out, text::Layout::aligned, columns);
    if (!hidden.empty())
      out << "Not shown, as the terminal is too narrow: " << hidden << '\n';
  } else {
    table.print(out, text::Layout::headed);
  }
  out << describe(*options.format, scale) << '\n';
  const std::string advice = lossScaleAdvice(tensors, *options.format);
  if (!advice.empty())
    out << advice << '\n';
  return exitOk;
}

void addFormatOptions(CLI::App &command, HealthOptions &options) {
  std::vector<std::pair<std::string, outfeed::NumberFormat>> formats;
  for (const outfeed::NumberFormat &format : outfeed::kNumberFormats)
    formats.emplace_back(format.name, format);
  addChoice<outfeed::NumberFormat>(
      command, "--format", options.format, formats,
      "Instead, say how the tensors would fare in this format, from the "
      "histograms that were recorded, and at which scale they would fare best");
  command
      .add_option_function<std::string>(
          "--scale",
          [&options](const std::string &text) {
            constexpr std::int64_t kMost = 300;
            const std::int64_t scale = parseSigned("--scale", text);
            if (std::abs(scale) > kMost)
              throw BadInput("--scale: 2^" + text +
                             " is beyond every format; give a number from "
                             "-300 to 300");
            options.scale = int(scale);
          },
          "With --format: as if all elements were multiplied by 2^N")
      ->type_name("N")
      ->needs("--format");
}

} // namespace

void addHealthCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<HealthOptions>();
  CLI::App *command = app.add_subcommand(
      "health", "Say which tensor of a run was not finite first, and why");
  command->add_option("run", options->run, "The directory of a run")
      ->required()
      ->type_name("RUN");
  command
      ->add_option("--rules,--checks", options->checks,
                   "Look for dead layers, spikes and the like in its log: a "
                   "file of checks, or the word default for all of them")
      ->type_name("FILE|default");
  command->add_flag("--json", options->json, "Print it as JSON");
  addFormatOptions(*command, *options);
  command->footer(
      "The run may be finished or still going on. The exit code is 0 if all "
      "tensors\nwere finite and no check found anything, 3 if not, 2 if it is "
      "not known. With\n--format it is 0.\n\n"
      "Examples:\n  popscope health logs/cnn-20260101-120000\n"
      "  popscope health logs/cnn-20260101-120000 --rules default\n"
      "  popscope health logs/cnn-20260101-120000 --format f143 --scale 4");
  command->callback([options, &chosen] {
    chosen = [options] {
      return options->format ? showFormat(*options, std::cout)
                             : showHealth(*options, std::cout);
    };
  });
}

} // namespace popscope::host
