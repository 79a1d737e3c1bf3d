#include "host/events/file_walk.hpp"
#include "host/events/output_options.hpp"
#include "host/events/point_writer.hpp"
#include "host/events/replaced_points.hpp"
#include "host/events/run_index.hpp"
#include "host/events/subcommands.hpp"
#include "host/events/value_text.hpp"
#include "host/run/output_file.hpp"
#include "summary/reading/decoded_value.hpp"
#include "text/quoting.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>

namespace popscope::host::events {

namespace {

using summary::EventView;

struct ExportOptions {
  LogSelection log;
  std::string kind = "scalars";
  ExportFormat format = ExportFormat::csv;
  bool all = false;          // also points that later ones replace
  OutputOptions output{"-"}; // standard output

  bool isToStdout() const { return output.path == "-"; }
};

bool isChosen(const TagSeries &series, const ExportOptions &options) {
  return series.kind == options.kind && options.log.tags.match(series.tag);
}

// What there is to export, determined before the first point is written.
struct Found {
  std::vector<LogRun> runs;
  std::size_t series = 0;
  bool allIsWell = true; // no file damaged and no value left out
  // By run and tag, where steps go back or repeat.
  std::map<std::pair<std::string, std::string>, ReplacedPoints> remaining;

  // Whether a point remains; to be asked in the order of the walk.
  bool remains(const std::string &run, const std::string &tag,
               std::int64_t step) {
    if (remaining.empty())
      return true;
    const auto points = remaining.find({run, tag});
    return points == remaining.end() || points->second.remains(step);
  }
  // All files that are read.
  Inputs inputs() const {
    Inputs files;
    for (const LogRun &run : runs)
      files.insert(files.end(), run.files.begin(), run.files.end());
    return files;
  }
  int exitCode() const { return allIsWell ? exitOk : exitFailed; }
};

// Calls `take` with every value of the chosen kind and tags.
template <class Take>
void walkValues(const ExportOptions &options, const std::vector<LogRun> &runs,
                const Take &take) {
  FileWalk walk(runs);
  for (const LogRun &run : runs) {
    RunIndex index;
    const auto visit = [&](const EventView &event, const auto &) {
      summary::ValueCursor values(event);
      while (const auto value = values.next()) {
        const TagSeries &series = index.seriesOf(*value);
        if (isChosen(series, options))
          take(run.name, series.tag, event, *value);
      }
    };
    for (const auto &path : run.files)
      walk.walk(path, visit);
  }
}

// Reports damage. Throws BadInput if there is nothing to export.
Found findSeries(const ExportOptions &options) {
  Found found;
  found.runs = options.log.findRuns();
  FileWalk walk(found.runs);
  std::vector<std::string> names; // of the kind
  for (const LogRun &run : found.runs) {
    RunIndex index;
    for (const auto &path : run.files)
      found.allIsWell =
          reportUnlessWhole(walk.index(path, index)) && found.allIsWell;
    for (const TagSeries &series : index.tags()) {
      const TagCounts &counts = series.counts;
      const bool goesBack = counts.outOfOrder() + counts.repeated() != 0;
      found.series += isChosen(series, options);
      if (goesBack && !options.all && isChosen(series, options))
        found.remaining.try_emplace({run.name, series.tag});
      if (series.kind == options.kind)
        names.push_back(series.tag);
    }
  }
  const std::string none =
      options.log.path.string() + ": no tag of kind " + options.kind;
  if (names.empty())
    throw BadInput(none);
  options.log.tags.requireMatches(none, "--tag", names);
  if (!found.remaining.empty())
    walkValues(options, found.runs,
               [&](const std::string &run, const std::string &tag,
                   const EventView &event, const summary::ValueView &) {
                 const auto points = found.remaining.find({run, tag});
                 if (points != found.remaining.end())
                   points->second.add(event.step);
               });
  return found;
}

// Like walkValues, but skips points that later ones replace and says how many.
template <class Take>
void walkRemaining(const ExportOptions &options, Found &found,
                   const Take &take) {
  std::uint64_t replaced = 0;
  walkValues(options, found.runs,
             [&](const std::string &run, const std::string &tag,
                 const EventView &event, const summary::ValueView &value) {
               if (found.remains(run, tag, event.step))
                 take(run, tag, event, value);
               else
                 ++replaced;
             });
  if (replaced != 0)
    std::cerr << "popscope: " << counted(replaced, "point")
              << " left out because later ones at the same or lower steps "
                 "replace them, as in TensorBoard; --all exports them\n";
}

// Values that cannot be exported because they are not of their tag's kind.
class Misfits {
public:
  void add(const std::string &tag) { ++counts_[tag]; }
  bool empty() const { return counts_.empty(); }
  void report(const std::string &kind) const {
    for (const auto &[tag, count] : counts_)
      std::cerr << "popscope: tag " << text::oneLine(tag) << ": left out "
                << counted(count, "value") << " not of the kind " << kind
                << '\n';
  }

private:
  std::map<std::string, std::uint64_t> counts_;
};

// Calls `check` after each point.
template <class Check>
void writePoints(const ExportOptions &options, Found &found, std::ostream &out,
                 const Check &check) {
  PointWriter points(out, {options.kind, options.format, found.series > 1});
  Misfits misfits;
  walkRemaining(options, found,
                [&](const std::string &run, const std::string &tag,
                    const EventView &event, const summary::ValueView &value) {
                  if (!points.add(run, tag, event, value))
                    misfits.add(tag);
                  check();
                });
  points.finish();
  misfits.report(options.kind);
  found.allIsWell = found.allIsWell && misfits.empty();
}

int exportSeries(const ExportOptions &options) {
  Found found = findSeries(options);
  if (options.isToStdout()) {
    writePoints(options, found, std::cout, [] {});
    return found.exitCode();
  }
  OutputFile file(options.output.path, options.output.ifExists, found.inputs());
  std::ofstream out = file.open();
  writePoints(options, found, out, [&] { file.requireGood(out); });
  file.commit(out);
  return found.exitCode();
}

const char *extensionOf(std::string_view image) {
  if (image.substr(0, 4) == "\x89PNG")
    return ".png";
  if (image.substr(0, 2) == "\xff\xd8")
    return ".jpg";
  if (image.substr(0, 3) == "GIF")
    return ".gif";
  if (image.substr(0, 2) == "BM")
    return ".bmp";
  return ".bin";
}

// Makes a valid file name for each picture, no name twice.
class PictureNames {
public:
  std::string next(const std::string &run, const std::string &tag,
                   const std::string &which, const char *extension) {
    // Most file systems take 255 bytes, some count the characters of UTF-16.
    constexpr std::size_t kLongest = 200;
    std::string stem = (run == "." ? "" : run + "-") + tag;
    for (char &c : stem)
      if (c == '/' || static_cast<unsigned char>(c) < 0x20)
        c = '_';
    if (stem.size() > kLongest) {
      std::size_t end = kLongest; // where a character of UTF-8 begins
      while (end > 0 && (stem[end] & 0xc0) == 0x80)
        --end;
      stem.resize(end);
    }
    stem += which;
    std::string name = stem + extension;
    for (unsigned n = 2; !given_.insert(name).second; ++n)
      name = stem + "-" + std::to_string(n) + extension;
    return name;
  }

private:
  std::set<std::string> given_;
};

int exportImages(const ExportOptions &options) {
  if (options.isToStdout())
    throw BadInput("--kind images needs a directory: -o DIR");
  Found found = findSeries(options);
  std::error_code error;
  std::filesystem::create_directories(options.output.path, error);
  if (error)
    throw BadInput(options.output.path.string() + ": " + error.message());
  const Inputs inputs = found.inputs();
  std::size_t written = 0;
  PictureNames names;
  Misfits misfits;
  walkRemaining(options, found,
                [&](const std::string &run, const std::string &tag,
                    const EventView &event, const summary::ValueView &value) {
                  const auto images = summary::decodeImages(value);
                  if (!images)
                    return misfits.add(tag);
                  for (std::size_t i = 0; i < images->size(); ++i) {
                    const auto path =
                        options.output.path /
                        names.next(run, tag,
                                   "-step" + std::to_string(event.step) +
                                       (images->size() > 1
                                            ? "-" + std::to_string(i)
                                            : ""),
                                   extensionOf((*images)[i].bytes));
                    OutputFile file(path, options.output.ifExists, inputs);
                    std::ofstream out = file.open();
                    out << (*images)[i].bytes;
                    file.commit(out);
                    ++written;
                  }
                });
  misfits.report(options.kind);
  found.allIsWell = found.allIsWell && misfits.empty();
  if (options.format == ExportFormat::json)
    std::cout << "{\"path\": " << text::jsonString(options.output.path.string())
              << ", \"pictures\": " << written << "}\n";
  else
    std::cout << options.output.path.string() << ": " << written
              << " pictures\n";
  return found.exitCode();
}

} // namespace

void addExportCommand(CLI::App &events, Command &chosen) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App *command = events.add_subcommand(
      "export", "Scalars, histograms, images or text for other programs");
  addLogSelection(*command, options->log, Chooses::runsAndTags);
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
  command->add_flag_callback(
      "--json", [options] { options->format = ExportFormat::json; },
      "The same as --format json");
  command->add_flag("--all", options->all,
                    "Include points that later ones at the same or lower "
                    "steps replace, as after a restart");
  addOutput(*command, options->output,
            "The file to write, for images a directory; - is standard output");
  command->footer(
      "One series has the columns of TensorBoard's download links; several\n"
      "series have their run and tag in front.\n"
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
