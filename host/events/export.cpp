#include "host/command.hpp"
#include "host/events/subcommands.hpp"
#include "host/events/writing/exported_series.hpp"
#include "host/events/writing/point_writer.hpp"
#include "host/run/output_file.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

namespace popscope::host::events {

namespace {

// Calls `check` after each point.
template <class Check>
void writePoints(const ExportOptions &options, ExportedSeries &series,
                 std::ostream &out, const Check &check) {
  PointWriter points(out, {options.kind, options.format, !options.bare});
  series.walk([&](const ExportedSeries::Point &point) {
    const bool isOfKind =
        points.add(point.run, point.tag, point.event, point.value);
    check();
    return isOfKind;
  });
  points.finish();
}

int exportSeries(const ExportOptions &options) {
  ExportedSeries series(options);
  if (options.bare && series.count() != 1)
    throw BadInput("--bare: " + options.log.where() + " has " +
                   std::to_string(series.count()) +
                   " such series, which only run and tag tell apart; choose "
                   "one with --run and --tag");
  if (options.isToStdout()) {
    writePoints(options, series, std::cout, [] {});
    return series.exitCode();
  }
  OutputFile file(options.output.path, options.output.ifExists,
                  series.inputs());
  std::ofstream out = file.open();
  writePoints(options, series, out, [&] { file.requireGood(out); });
  file.commit(out);
  return series.exitCode();
}

} // namespace

void addExportCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App *command = events.add_subcommand(
      "export",
      "Scalars, histograms, images, audio or text for other programs");
  addLogSelection(*command, options->log, Paths::several, Chooses::runsAndTags);
  command->add_option("--kind", options->kind, "What to export")
      ->check(
          CLI::IsMember({"scalars", "histograms", "images", "audio", "text"}))
      ->type_name("KIND")
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--format",
          [options](const std::string &name) {
            options->format =
                name == "csv" ? ExportFormat::csv : ExportFormat::json;
          },
          "csv or json")
      ->check(CLI::IsMember({"csv", "json"}))
      ->type_name("FORMAT")
      ->default_str("csv");
  command->add_flag_callback(
      "--json", [options] { options->format = ExportFormat::json; },
      "The same as --format json");
  command->add_flag("--all", options->all,
                    "Include points that later ones at the same or lower "
                    "steps replace, as after a restart");
  command->add_flag("--bare", options->bare,
                    "One series without run and tag, as from TensorBoard's "
                    "download links");
  addOutput(*command, options->output,
            "The file to write, for images and audio a directory; - is "
            "standard output");
  command->footer(
      "Columns: run, tag, wall time, step, value; of histograms left, right\n"
      "and count instead of the value, a line per bucket.\n"
      "Examples:\n"
      "  popscope events export logs/train --tag loss -o loss.csv\n"
      "  popscope events export logs/a logs/b --tag loss --format json\n"
      "  popscope events export logs/train --kind images -o pictures");
  command->callback([options, &chosen] {
    chosen = [options] {
      return options->isMedia() ? exportMedia(*options)
                                : exportSeries(*options);
    };
  });
}

} // namespace popscope::host::events
