// Writes points of scalars, histograms and text as CSV or JSON.
#pragma once

#include "summary/reading/event_view.hpp"

#include <ostream>
#include <string>

namespace popscope::host::events {

enum class ExportFormat { csv, json };

// Writes each point at once and keeps none. With names, run and tag are in
// front; without them the columns of CSV and the lists of JSON are those of
// TensorBoard's download links.
class PointWriter {
public:
  struct Form {
    std::string kind; // scalars, histograms or text
    ExportFormat format = ExportFormat::csv;
    bool isNamed = true; // with run and tag in front
  };

  // `out` outlives this.
  PointWriter(std::ostream &out, Form form);

  // One line of CSV, for a histogram one per bucket; or one element of the
  // list. False if the value is not of the kind.
  [[nodiscard]] bool add(const std::string &run, const std::string &tag,
                         const summary::EventView &event,
                         const summary::ValueView &value);
  // Ends the list.
  void finish();

private:
  std::ostream &out_;
  const Form form_;
  bool isFirst_ = true;
};

} // namespace popscope::host::events
