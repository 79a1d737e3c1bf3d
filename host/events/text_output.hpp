// Numbers, strings and tables as the commands print them.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::host::events {

// The shortest decimal that reads back as the same double, spelt as Python
// spells it (1.0, 1e-05, nan), which is what TensorBoard's CSV files contain.
std::string pythonNumber(double value);

// JSON. Numbers that are not finite become the strings "NaN", "Infinity" and
// "-Infinity", as TensorBoard sends them.
std::string jsonNumber(double value);
std::string jsonString(std::string_view text);

// A cell of a CSV file, in quotes if it needs them.
std::string csvCell(std::string_view text);

// One line whatever the text holds: control characters are written as escapes.
std::string oneLine(std::string_view text);

enum class Layout {
  aligned, // a terminal: columns, under a heading
  plain    // a pipe: tabs, no heading
};

Layout layoutOfStdout();

class Table {
public:
  explicit Table(std::vector<std::string> heading)
      : heading_(std::move(heading)) {}

  // One cell per column of the heading.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  // In a terminal of so many columns, wide columns of text are folded.
  void print(std::ostream &out, Layout layout,
             std::size_t columns = std::string::npos) const;

private:
  void printAligned(std::ostream &out, std::size_t columns) const;

  std::vector<std::string> heading_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace popscope::host::events
