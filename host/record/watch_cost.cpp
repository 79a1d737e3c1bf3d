#include "host/record/watch_cost.hpp"

#include "text/folded.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"
#include "text/table.hpp"

#include <algorithm>
#include <sstream>

namespace popscope::host {

namespace {

using Row = WatchCost::Row;
using Cells = std::vector<std::string>;

const Cells &headings() {
  static const Cells headings = {"cost of watching", "tensors", "bytes",
                                 "tile bytes",       "cycles",  "time"};
  return headings;
}

template <class Number>
std::string countOrDash(const std::optional<Number> &value) {
  return value ? text::countText(std::uint64_t(*value)) : "-";
}

Cells cellsOf(const Row &row) {
  return {row.rule.empty() ? row.title : row.title + ": " + row.rule,
          text::countText(row.tensors),
          countOrDash(row.bytes),
          text::countText(row.tileBytes),
          countOrDash(row.cycles),
          row.time ? textOf(*row.time) : "-"};
}

// What there is to say below the table, a sentence or more each.
Cells notesOf(const WatchCost &cost) {
  Cells notes{
      "Bytes are those that came to the host, " + text::countText(cost.bytes) +
      " with all headers. Tile bytes and cycles, each time a rule is due, are "
      "estimates for the busiest tile and worker."};
  notes.push_back(cost.timing);
  constexpr double kLeastWait = 0.01;
  if (cost.secondsWaited >= kLeastWait)
    notes.push_back("The device waited " +
                    text::significant(cost.secondsWaited, 2) +
                    " s for the host to take samples.");
  if (!cost.budget.empty())
    notes.push_back(cost.budget);
  return notes;
}

std::string field(const char *name, const std::string &json) {
  return text::jsonString(name) + ": " + json;
}

template <class Number> std::string number(const std::optional<Number> &value) {
  return value ? std::to_string(*value) : "null";
}

std::string rowJson(const Row &row) {
  std::string json = "{" + field("title", text::jsonString(row.title));
  if (!row.rule.empty())
    json += ", " + field("rule", text::jsonString(row.rule));
  json += ", " + field("tensors", std::to_string(row.tensors)) + ", " +
          field("bytes", number(row.bytes)) + ", " +
          field("tile_bytes", std::to_string(row.tileBytes)) + ", " +
          field("estimated_cycles", number(row.cycles)) + ", " +
          field("time_share",
                row.time ? text::jsonNumber(row.time->share) : "null");
  if (row.time)
    json += ", " + field("time_share_error", text::jsonNumber(row.time->error));
  return json + "}";
}

std::string markdownRow(const Cells &cells) {
  std::string text = "|";
  for (std::string cell : cells) {
    for (std::size_t bar = 0; (bar = cell.find('|', bar)) != std::string::npos;
         bar += 2)
      cell.insert(bar, "\\");
    text += " " + cell + " |";
  }
  return text + "\n";
}

} // namespace

void print(const WatchCost &cost, std::ostream &out, std::size_t columns) {
  text::Table table(headings());
  for (const Row &row : cost.rows)
    table.add(cellsOf(row));
  // The rules' texts are folded, so that columns go only where nothing helps.
  constexpr std::size_t kNarrow = 72;
  if (columns < kNarrow)
    table.dropToFit(columns, {"tensors", "cycles", "tile bytes"});
  table.print(out, text::Layout::aligned, columns);
  constexpr std::size_t kReadable = 80;
  for (const std::string &note : notesOf(cost))
    out << text::folded("  " + note, std::min(columns, kReadable)) << '\n';
}

std::string toJson(const WatchCost &cost) {
  std::string rows;
  for (const Row &row : cost.rows)
    rows += (rows.empty() ? "\n    " : ",\n    ") + rowJson(row);
  std::string json =
      "{" + field("rows", "[" + rows + "]") + ", " +
      field("bytes", std::to_string(cost.bytes)) + ", " +
      field("seconds_waited", text::jsonNumber(cost.secondsWaited)) + ", " +
      field("timing", text::jsonString(cost.timing));
  if (!cost.budget.empty())
    json += ", " + field("budget", text::jsonString(cost.budget));
  return json + "}";
}

std::string describe(const WatchCost &cost) {
  std::string text =
      markdownRow(headings()) + markdownRow(Cells(headings().size(), "---"));
  for (const Row &row : cost.rows) {
    Cells cells = cellsOf(row);
    if (!row.rule.empty())
      cells[0] = row.title + ": `" + row.rule + "`";
    text += markdownRow(cells);
  }
  for (const std::string &note : notesOf(cost))
    text += "\n" + note + "\n";
  return text;
}

} // namespace popscope::host
