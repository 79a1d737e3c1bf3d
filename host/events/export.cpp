#include "host/events/decoded_value.hpp"
#include "host/events/exported_series.hpp"
#include "host/events/file_walk.hpp"
#include "host/events/run_index.hpp"
#include "host/events/subcommands.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>

namespace popscope::host::events {

namespace {

using summary::EventView;

struct ExportOptions {
  LogChoice log;
  std::string kind = "scalars";
  ExportFormat format = ExportFormat::csv;
  std::filesystem::path output; // empty: standard output
};

// Gives the values of the chosen kind and tags.
template <class Take>
void walkValues(const ExportOptions &options, const Take &take) {
  const std::vector<LogRun> runs = options.log.findRuns();
  FileWalk walk(runs);
  for (const LogRun &run : runs) {
    RunIndex index;
    const auto visit = [&](const EventView &event, const auto &) {
      summary::ValueCursor values(event);
      while (const auto value = values.next()) {
        const TagSeries &series = index.seriesOf(*value);
        if (series.kind == options.kind && options.log.tags.match(series.tag))
          take(run.name, series.tag, event, *value);
      }
    };
    for (const auto &path : run.files) {
      const FileState file = walk.walk(path, visit);
      if (!file.isWhole())
        std::cerr << "popscope: " << path.string() << ": " << describe(file)
                  << '\n';
    }
  }
}

[[noreturn]] void refuseNothing(const ExportOptions &options) {
  throw BadInput(options.log.path.string() + ": no tag of kind " +
                 options.kind +
                 (options.log.tags.empty() ? "" : " matches --tag"));
}

[[noreturn]] void refuseMalformed(const std::string &tag,
                                  const EventView &event) {
  throw BadInput("tag " + tag + ", step " + std::to_string(event.step) +
                 ": the value is not of the kind its metadata say");
}

void writeTo(const std::filesystem::path &path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes << std::flush;
  if (!file)
    throw BadInput(path.string() + ": cannot be written");
}

int exportSeries(const ExportOptions &options) {
  ExportedSeries series(options.kind, options.format);
  walkValues(options,
             [&](const std::string &run, const std::string &tag,
                 const EventView &event, const summary::ValueView &value) {
               if (!series.add({run, tag}, event.wallTime, event.step, value))
                 refuseMalformed(tag, event);
             });
  if (series.empty())
    refuseNothing(options);
  if (options.output.empty())
    std::cout << series.text();
  else
    writeTo(options.output, series.text());
  return exitOk;
}

const char *extensionOf(std::string_view image) {
  if (image.substr(0, 4) == "\x89PNG")
    return ".png";
  if (image.substr(0, 2) == "\xff\xd8")
    return ".jpg";
  if (image.substr(0, 3) == "GIF")
    return ".gif";
  return ".bin";
}

// A tag or run as part of a file name.
std::string fileNameOf(std::string name) {
  for (char &c : name)
    if (c == '/' || static_cast<unsigned char>(c) < 0x20)
      c = '_';
  return name;
}

int exportImages(const ExportOptions &options) {
  if (options.output.empty())
    throw BadInput("--kind images needs a directory: -o DIR");
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  if (error)
    throw BadInput(options.output.string() + ": " + error.message());
  std::size_t written = 0;
  walkValues(options,
             [&](const std::string &run, const std::string &tag,
                 const EventView &event, const summary::ValueView &value) {
               const auto images = imagesOf(value);
               if (!images)
                 refuseMalformed(tag, event);
               for (std::size_t i = 0; i < images->size(); ++i) {
                 const std::string name =
                     (run == "." ? "" : fileNameOf(run) + "-") +
                     fileNameOf(tag) + "-step" + std::to_string(event.step) +
                     (images->size() > 1 ? "-" + std::to_string(i) : "") +
                     extensionOf((*images)[i]);
                 writeTo(options.output / name, (*images)[i]);
                 ++written;
               }
             });
  if (written == 0)
    refuseNothing(options);
  std::cout << options.output.string() << ": " << written << " pictures\n";
  return exitOk;
}

} // namespace

void addExportCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App *command = events.add_subcommand(
      "export", "Scalars, histograms, images or text for other programs");
  addLogChoice(*command, options->log, Chooses::runsAndTags);
  command->add_option("--kind", options->kind, "What to export")
      ->check(CLI::IsMember({"scalars", "histograms", "images", "text"}))
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
  command
      ->add_option("-o,--output", options->output,
                   "A file in place of the standard output; for images, a "
                   "directory")
      ->type_name("FILE");
  command->footer(
      "One series comes as from TensorBoard's download links; several come "
      "with their run and tag.\n"
      "Examples:\n"
      "  popscope events export logs/train --tag loss -o loss.csv\n"
      "  popscope events export logs --format json\n"
      "  popscope events export logs/train --kind images -o pictures");
  command->callback([options, &chosen] {
    chosen = [options] {
      return options->kind == "images" ? exportImages(*options)
                                       : exportSeries(*options);
    };
  });
}

} // namespace popscope::host::events
