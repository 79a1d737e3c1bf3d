#include "host/events/reading/kept_points.hpp"

#include "host/events/reading/file_walk.hpp"
#include "host/events/reading/run_index.hpp"
#include "host/events/reading/selection.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

namespace popscope::host::events {

namespace {

struct Kept {
  const char *kind; // also the name of the plugin
  // Of each tag, by TensorBoard 2.20 with its default loader; of histograms on
  // the page Histograms.
  std::uint64_t byDefault;
  // What it is asked to keep. Zero, which once meant all, shows none.
  std::uint64_t asked;
};

constexpr Kept kKept[] = {
    {"scalars", 1000, 100'000}, {"histograms", 51, 10'000},
    {"images", 10, 1000},       {"audio", 10, 1000},
    {"text", 100, 1000},        {"pr_curves", 100, 1000}};

} // namespace

std::map<std::string, LongestSeries>
longestSeries(const std::filesystem::path &directory) {
  std::map<std::string, LongestSeries> longest;
  const std::vector<LogRun> runs = runsIn(directory);
  FileWalk walk(runs);
  for (const LogRun &run : runs) {
    RunIndex index;
    for (const auto &file : run.files)
      walk.index(file, index);
    for (const TagSeries &series : index.tags())
      if (LongestSeries &known = longest[series.kind];
          series.counts.values() > known.values)
        known = {run.name, series.tag, series.counts.values()};
  }
  return longest;
}

std::string samplesToKeep(const std::map<std::string, LongestSeries> &longest) {
  std::string samples;
  for (const Kept &kept : kKept) {
    std::uint64_t asked = kept.asked;
    const auto series = longest.find(kept.kind);
    while (series != longest.end() && asked < 2 * series->second.values)
      asked *= 10;
    samples += (samples.empty() ? "" : ",") + std::string(kept.kind) + "=" +
               std::to_string(asked);
  }
  return samples;
}

std::vector<std::string>
hiddenPoints(const std::map<std::string, LongestSeries> &longest) {
  std::vector<std::string> sentences;
  for (const Kept &kept : kKept) {
    const auto series = longest.find(kept.kind);
    if (series == longest.end() || series->second.values <= kept.byDefault)
      continue;
    const auto &[run, tag, values] = series->second;
    sentences.push_back("of " + std::string(kept.kind) + " it keeps " +
                        text::withThousands(double(kept.byDefault)) +
                        " a tag, and " +
                        text::oneLine((run == "." ? "" : run + ", ") + tag) +
                        " has " + text::withThousands(double(values)));
  }
  return sentences;
}

} // namespace popscope::host::events
