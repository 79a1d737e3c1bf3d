#include "host/events/printing/value_lines.hpp"

#include "host/events/printing/value_text.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"
#include "text/table.hpp"
#include "text/terminal.hpp"

#include <algorithm>
#include <iostream>

namespace popscope::host::events {

namespace {

using summary::EventView;

constexpr std::size_t kTableRows = 1000; // after which widths begin anew

const std::vector<std::string> &heading() {
  static const std::vector<std::string> names = {"run",  "wall time", "step",
                                                 "kind", "tag",       "value"};
  return names;
}

std::string contentOf(const EventView &event) {
  return event.kind == summary::EventKind::fileVersion
             ? std::string(event.content)
             : std::to_string(event.content.size()) + " bytes";
}

} // namespace

ValueLines::ValueLines(const CatOptions &options) : options_(options) {}

void ValueLines::add(const std::string &run, const EventView &event) {
  RunIndex &index = indexes_[run];
  const bool isWanted = options_.steps.has(event.step);
  if (event.kind != summary::EventKind::summary) {
    if (isWanted && options_.log.tags.empty())
      print({run, event, std::string(summary::nameOf(event.kind)), "",
             contentOf(event)});
    return;
  }
  summary::ValueCursor values(event);
  while (const auto value = values.next()) {
    // Also for values that are not shown: the first one decides the kind.
    const TagSeries &series = index.seriesOf(*value);
    if (isWanted && options_.log.tags.match(series.tag))
      print({run, event, series.kind, series.tag,
             describeValue(*value, series.kind)});
  }
}

void ValueLines::print(const Line &line) {
  if (options_.json) {
    std::cout << "{\"run\": " << text::jsonString(line.run)
              << ", \"wall_time\": " << text::jsonNumber(line.event.wallTime)
              << ", \"step\": " << line.event.step
              << ", \"kind\": " << text::jsonString(line.kind)
              << ", \"tag\": " << text::jsonString(line.tag)
              << ", \"value\": " << text::jsonString(line.text) << "}\n";
    return;
  }
  rows_.push_back({text::oneLine(line.run),
                   text::pythonNumber(line.event.wallTime),
                   std::to_string(line.event.step), line.kind,
                   text::oneLine(line.tag), text::oneLine(line.text)});
  if (rows_.size() == kTableRows)
    finish();
}

void ValueLines::finish() {
  const text::Layout layout = text::layoutOfStdout();
  if (options_.follow && layout == text::Layout::aligned) {
    printOnward();
  } else if (!rows_.empty()) {
    text::Table table(heading());
    for (Row &row : rows_)
      table.add(std::move(row));
    table.print(std::cout, layout, text::sizeOfTerminal().columns);
  }
  rows_.clear();
}

void ValueLines::printOnward() {
  const bool isFirst = widths_.empty();
  if (isFirst && !rows_.empty()) {
    widths_.resize(heading().size());
    rows_.insert(rows_.begin(), heading());
  }
  for (const Row &row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths_[i] = std::max(widths_[i], text::columnsOf(row[i]));
  for (const Row &row : rows_) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      std::cout << "  " << row[i]
                << std::string(widths_[i] - text::columnsOf(row[i]), ' ');
    std::cout << "  " << row.back() << '\n';
  }
}

} // namespace popscope::host::events
