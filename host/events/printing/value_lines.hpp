// Prints values, one per line.
#pragma once

#include "host/events/reading/run_index.hpp"
#include "host/events/reading/selection.hpp"
#include "host/events/reading/step_range.hpp"
#include "summary/reading/event_view.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace popscope::host::events {

struct CatOptions {
  LogSelection log;
  StepRange steps;
  bool json = false;
  bool follow = false; // goes on with what is written later
};

// On standard output: as JSON, for a terminal in columns, for a pipe with tabs.
class ValueLines {
public:
  // `options` outlives this.
  explicit ValueLines(const CatOptions &options);

  // Prints the chosen values of an event, or the event if it has none. Events
  // of a run have to come in order.
  void add(const std::string &run, const summary::EventView &event);
  // Prints what is still kept to be put into columns.
  void finish();

  // By name, of every run that had an event.
  const std::map<std::string, RunIndex> &indexes() const { return indexes_; }

private:
  struct Line {
    const std::string &run;
    const summary::EventView &event;
    std::string kind;
    std::string tag;
    std::string text;
  };

  using Row = std::vector<std::string>;

  void print(const Line &line);
  void printOnward(); // rows below those that are on the screen

  const CatOptions &options_;
  std::map<std::string, RunIndex> indexes_;
  std::vector<Row> rows_;           // not printed yet
  std::vector<std::size_t> widths_; // of the columns on the screen
};

} // namespace popscope::host::events
