// The series that popscope events export writes, and the walk over their
// points.
#pragma once

#include "host/events/reading/run_index.hpp"
#include "host/events/reading/selection.hpp"
#include "host/events/writing/output_options.hpp"
#include "host/events/writing/point_writer.hpp"
#include "host/events/writing/replaced_points.hpp"
#include "host/run/output_file.hpp"
#include "summary/reading/event_view.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace popscope::host::events {

struct ExportOptions {
  LogSelection log;
  std::string kind = "scalars";
  ExportFormat format = ExportFormat::csv;
  bool all = false;          // also points that later ones replace
  bool bare = false;         // without run and tag
  OutputOptions output{"-"}; // standard output

  bool isToStdout() const { return output.path == "-"; }
  // Kinds that are exported as a file per value.
  bool isMedia() const { return kind == "images" || kind == "audio"; }
};

// Determined before the first point is written.
class ExportedSeries {
public:
  // Reads all files and reports damage. Throws BadInput if there is nothing to
  // export. `options` outlives this.
  explicit ExportedSeries(const ExportOptions &options);

  // One value of the chosen kind and tags.
  struct Point {
    const std::string &run;
    const std::string &tag;
    const summary::EventView &event;
    const summary::ValueView &value;
  };
  // Calls `take` with each point, except those that later ones replace, whose
  // number is reported. `take` returns false for a value that is not of its
  // tag's kind; these are reported too. To be called once.
  void walk(const std::function<bool(const Point &)> &take);

  std::size_t count() const { return count_; }
  Inputs inputs() const; // all files that are read
  // exitFailed if a file is damaged or a value was left out.
  int exitCode() const;

private:
  bool isChosen(const TagSeries &series) const;
  bool remains(const Point &point);
  void walkAll(const std::function<void(const Point &)> &take) const;

  const ExportOptions &options_;
  std::vector<LogRun> runs_;
  std::size_t count_ = 0;
  bool allIsWell_ = true;
  // By run and tag, where steps go back or repeat.
  std::map<std::pair<std::string, std::string>, ReplacedPoints> remaining_;
};

// Writes each picture or sound to a file of its own; returns the exit code.
// Throws BadInput if the output is not a directory.
int exportMedia(const ExportOptions &options);

} // namespace popscope::host::events
