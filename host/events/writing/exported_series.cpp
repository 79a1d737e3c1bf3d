#include "host/events/writing/exported_series.hpp"

#include "host/command.hpp"
#include "host/events/reading/file_walk.hpp"
#include "host/terminal/problem.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

namespace popscope::host::events {

using summary::EventView;

bool ExportedSeries::isChosen(const TagSeries &series) const {
  return series.kind == options_.kind && options_.log.tags.match(series.tag);
}

ExportedSeries::ExportedSeries(const ExportOptions &options)
    : options_(options), runs_(options.log.findRuns()) {
  FileWalk walk(runs_);
  std::vector<std::string> names; // of the kind
  for (const LogRun &run : runs_) {
    RunIndex index;
    for (const auto &path : run.files)
      allIsWell_ = reportUnlessWhole(walk.index(path, index)) && allIsWell_;
    for (const TagSeries &series : index.tags()) {
      const TagCounts &counts = series.counts;
      const bool goesBack = counts.outOfOrder() + counts.repeated() != 0;
      count_ += isChosen(series);
      if (goesBack && !options.all && isChosen(series))
        remaining_.try_emplace({run.name, series.tag});
      if (series.kind == options.kind)
        names.push_back(series.tag);
    }
  }
  const std::string none =
      options.log.where() + ": no tag of kind " + options.kind;
  if (names.empty())
    throw BadInput(none);
  options.log.tags.requireMatches(none, "--tag", names);
  if (!remaining_.empty())
    walkAll([this](const Point &point) {
      const auto points = remaining_.find({point.run, point.tag});
      if (points != remaining_.end())
        points->second.add(point.event.step);
    });
}

// To be asked in the order of the walk.
bool ExportedSeries::remains(const Point &point) {
  if (remaining_.empty())
    return true;
  const auto points = remaining_.find({point.run, point.tag});
  return points == remaining_.end() || points->second.remains(point.event.step);
}

void ExportedSeries::walkAll(
    const std::function<void(const Point &)> &take) const {
  FileWalk walk(runs_);
  for (const LogRun &run : runs_) {
    RunIndex index;
    const auto visit = [&](const EventView &event, const auto &) {
      summary::ValueCursor values(event);
      while (const auto value = values.next()) {
        const TagSeries &series = index.seriesOf(*value);
        if (isChosen(series))
          take({run.name, series.tag, event, *value});
      }
    };
    for (const auto &path : run.files)
      walk.walk(path, visit);
  }
}

void ExportedSeries::walk(const std::function<bool(const Point &)> &take) {
  std::uint64_t replaced = 0;
  std::map<std::string, std::uint64_t> misfits; // by tag
  walkAll([&](const Point &point) {
    if (!remains(point))
      ++replaced;
    else if (!take(point))
      ++misfits[point.tag];
  });
  if (replaced != 0)
    printProblem(text::counted(replaced, "point") +
                 " left out because later ones at the same or lower steps "
                 "replace them, as in TensorBoard; --all exports them");
  for (const auto &[tag, count] : misfits)
    printProblem("tag " + text::oneLine(tag) + ": left out " +
                 text::counted(count, "value") + " not of the kind " +
                 options_.kind);
  allIsWell_ = allIsWell_ && misfits.empty();
}

Inputs ExportedSeries::inputs() const {
  Inputs files;
  for (const LogRun &run : runs_)
    files.insert(files.end(), run.files.begin(), run.files.end());
  return files;
}

int ExportedSeries::exitCode() const {
  return allIsWell_ ? exitOk : exitFailed;
}

} // namespace popscope::host::events
