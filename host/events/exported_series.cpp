#include "host/events/exported_series.hpp"

#include "host/events/decoded_value.hpp"
#include "host/events/text_output.hpp"

#include <optional>

namespace popscope::host::events {

namespace {

constexpr const char *kLineEnd = "\r\n"; // of CSV, also TensorBoard's

using Cells = std::vector<std::string>;

std::string columnsOf(const std::string &kind) {
  if (kind == "histograms")
    return "Wall time,Step,Left,Right,Count";
  return kind == "text" ? "Wall time,Step,Text" : "Wall time,Step,Value";
}

std::string joined(const Cells &cells, const char *separator) {
  std::string text;
  for (const std::string &cell : cells)
    text += (text.empty() ? "" : separator) + cell;
  return text;
}

std::string jsonList(const Cells &elements) {
  return "[" + joined(elements, ", ") + "]";
}

// What follows wall time and step, in each line of CSV; nothing if the value
// is not of the kind.
std::optional<Cells> csvCells(const summary::ValueView &value,
                              const std::string &kind) {
  Cells lines;
  if (kind == "histograms") {
    const auto buckets = histogramOf(value);
    if (!buckets)
      return std::nullopt;
    for (const auto &[left, right, count] : *buckets)
      lines.push_back(pythonNumber(left) + "," + pythonNumber(right) + "," +
                      pythonNumber(count));
  } else if (kind == "text") {
    const auto texts = textsOf(value);
    if (!texts)
      return std::nullopt;
    for (const std::string &text : *texts)
      lines.push_back(csvCell(text));
  } else {
    const auto scalar = scalarOf(value);
    if (!scalar)
      return std::nullopt;
    lines.push_back(pythonNumber(*scalar));
  }
  return lines;
}

std::optional<std::string> jsonValue(const summary::ValueView &value,
                                     const std::string &kind) {
  Cells elements;
  if (kind == "histograms") {
    const auto buckets = histogramOf(value);
    if (!buckets)
      return std::nullopt;
    for (const auto &[left, right, count] : *buckets)
      elements.push_back(
          jsonList({jsonNumber(left), jsonNumber(right), jsonNumber(count)}));
    return jsonList(elements);
  }
  if (kind == "text") {
    const auto texts = textsOf(value);
    if (!texts)
      return std::nullopt;
    for (const std::string &text : *texts)
      elements.push_back(jsonString(text));
    return jsonList(elements);
  }
  const auto scalar = scalarOf(value);
  return scalar ? std::optional(jsonNumber(*scalar)) : std::nullopt;
}

} // namespace

bool ExportedSeries::add(const SeriesName &name, double wallTime,
                         std::int64_t step, const summary::ValueView &value) {
  if (format_ == ExportFormat::json) {
    const auto content = jsonValue(value, kind_);
    if (content)
      series_[name].push_back(
          jsonList({jsonNumber(wallTime), std::to_string(step), *content}));
    return content.has_value();
  }
  const auto lines = csvCells(value, kind_);
  if (!lines)
    return false;
  Cells &all = series_[name];
  const std::string start =
      pythonNumber(wallTime) + "," + std::to_string(step) + ",";
  for (const std::string &line : *lines)
    all.push_back(start + line);
  return true;
}

std::string ExportedSeries::csv() const {
  const bool isSingle = series_.size() == 1;
  std::string text = (isSingle ? "" : "Run,Tag,") + columnsOf(kind_) + kLineEnd;
  for (const auto &[name, lines] : series_) {
    const std::string start =
        isSingle ? "" : csvCell(name.run) + "," + csvCell(name.tag) + ",";
    for (const std::string &line : lines)
      text += start + line + kLineEnd;
  }
  return text;
}

std::string ExportedSeries::json() const {
  if (series_.size() == 1)
    return jsonList(series_.begin()->second) + "\n";
  std::string text = "{";
  const std::string *run = nullptr; // of the series before
  for (const auto &[name, points] : series_) {
    if (run == nullptr || *run != name.run)
      text += (run == nullptr ? "" : "}, ") + jsonString(name.run) + ": {";
    else
      text += ", ";
    run = &name.run;
    text += jsonString(name.tag) + ": " + jsonList(points);
  }
  return text + "}}\n";
}

} // namespace popscope::host::events
