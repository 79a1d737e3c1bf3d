#include "host/events/writing/point_writer.hpp"

#include "summary/reading/decoded_value.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace popscope::host::events {

namespace {

constexpr const char *kLineEnd = "\r\n"; // of CSV, also TensorBoard's

using Cells = std::vector<std::string>;

std::string columnsOf(const std::string &kind) {
  if (kind == "histograms")
    return "Wall time,Step,Left,Right,Count";
  return kind == "text" ? "Wall time,Step,Text" : "Wall time,Step,Value";
}

std::string jsonList(const Cells &elements) {
  std::string text;
  for (const std::string &element : elements)
    text += (text.empty() ? "" : ", ") + element;
  return "[" + text + "]";
}

// What follows wall time and step, in each line of CSV; nothing if the value
// is not of the kind.
std::optional<Cells> csvCells(const summary::ValueView &value,
                              const std::string &kind) {
  Cells lines;
  if (kind == "histograms") {
    const auto histogram = summary::decodeHistogram(value);
    if (!histogram)
      return std::nullopt;
    for (const auto &[left, right, count] : histogram->buckets)
      lines.push_back(text::pythonNumber(left) + "," +
                      text::pythonNumber(right) + "," +
                      text::pythonNumber(count));
  } else if (kind == "text") {
    const auto text = summary::decodeText(value);
    if (!text)
      return std::nullopt;
    for (const std::string &element : text->elements)
      lines.push_back(text::csvCell(element));
  } else {
    const auto scalar = summary::decodeScalar(value);
    if (!scalar)
      return std::nullopt;
    lines.push_back(text::pythonNumber(*scalar));
  }
  return lines;
}

std::optional<std::string> jsonValue(const summary::ValueView &value,
                                     const std::string &kind) {
  Cells elements;
  if (kind == "histograms") {
    const auto histogram = summary::decodeHistogram(value);
    if (!histogram)
      return std::nullopt;
    for (const auto &[left, right, count] : histogram->buckets)
      elements.push_back(
          jsonList({text::jsonNumber(left), text::jsonNumber(right),
                    text::jsonNumber(count)}));
    return jsonList(elements);
  }
  if (kind == "text") {
    const auto text = summary::decodeText(value);
    if (!text)
      return std::nullopt;
    for (const std::string &element : text->elements)
      elements.push_back(text::jsonString(element));
    return jsonList(elements);
  }
  const auto scalar = summary::decodeScalar(value);
  return scalar ? std::optional(text::jsonNumber(*scalar)) : std::nullopt;
}

} // namespace

PointWriter::PointWriter(std::ostream &out, Form form)
    : out_(out), form_(std::move(form)) {
  if (form_.format == ExportFormat::json)
    out_ << "[";
  else
    out_ << (form_.isNamed ? "Run,Tag," : "") << columnsOf(form_.kind)
         << kLineEnd;
}

bool PointWriter::add(const std::string &run, const std::string &tag,
                      const summary::EventView &event,
                      const summary::ValueView &value) {
  const std::string step = std::to_string(event.step);
  if (form_.format == ExportFormat::csv) {
    const auto lines = csvCells(value, form_.kind);
    if (!lines)
      return false;
    for (const std::string &line : *lines) {
      if (form_.isNamed)
        out_ << text::csvCell(run) << ',' << text::csvCell(tag) << ',';
      out_ << text::pythonNumber(event.wallTime) << ',' << step << ',' << line
           << kLineEnd;
    }
    return true;
  }
  auto content = jsonValue(value, form_.kind);
  if (!content)
    return false;
  Cells point{text::jsonNumber(event.wallTime), step, std::move(*content)};
  if (form_.isNamed)
    point.insert(point.begin(), {text::jsonString(run), text::jsonString(tag)});
  out_ << (std::exchange(isFirst_, false) ? "" : ", ") << jsonList(point);
  return true;
}

void PointWriter::finish() {
  if (form_.format == ExportFormat::json)
    out_ << "]\n";
}

} // namespace popscope::host::events
