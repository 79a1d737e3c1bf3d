// All that a report shows of its runs, collected from their directories.
#pragma once

#include "host/report/tensor_history.hpp"
#include "host/report/timeline.hpp"
#include "host/report/update_columns.hpp"
#include "outfeed/checks/finding.hpp"
#include "text/json_value.hpp"

#include <string>
#include <vector>

namespace popscope::host {

struct ReportedRun {
  std::string name; // unique in the report
  std::string path;
  text::JsonValue manifest;
  std::vector<Curve> curves;
  std::vector<Alert> alerts; // those of the findings included
  std::vector<TensorHistory> tensors;
  // What checks have found: those of the training, or, if it made none, the
  // default ones, made on its log.
  std::vector<outfeed::Finding> findings;
  bool checkedWhileTraining = false;
  std::vector<std::string> checked;    // by which checks
  std::vector<std::string> notChecked; // by which, and why
  std::vector<std::string> notes;      // on damaged files
};

struct Report {
  UpdateColumns columns; // of all runs
  std::vector<ReportedRun> runs;
};

// Throws BadInput, naming the run, if one is not the directory of a run, is
// named twice or has recorded nothing.
Report collectReport(const std::vector<std::string> &runs);

// As rowsOf takes it: those of popscope.json, none if it lists none.
std::vector<outfeed::TensorTraits> tensorsOf(const text::JsonValue &manifest,
                                             const std::string &run);

} // namespace popscope::host
