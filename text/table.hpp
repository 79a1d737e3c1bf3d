// Tables for a terminal or a pipe.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace popscope::text {

enum class Layout {
  aligned, // for a terminal: columns under a heading
  plain,   // for a pipe: tabs, no heading
  headed   // for a pipe: tabs, the first line is the heading
};

// aligned or plain.
Layout layoutOfStdout();

class Table {
public:
  explicit Table(std::vector<std::string> heading)
      : heading_(std::move(heading)) {}

  // One cell per column of the heading.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }

  // Removes columns, in the order of these headings, until the rows fit into a
  // terminal of this width or none of them is left. Returns those removed.
  std::vector<std::string> dropToFit(std::size_t terminalColumns,
                                     const std::vector<std::string> &headings);
  // In a terminal of this width; wide columns of text are folded to fit.
  void print(std::ostream &out, Layout layout,
             std::size_t terminalColumns = std::string::npos) const;

private:
  std::vector<std::size_t> widths() const;
  void removeColumn(std::size_t column);
  void printAligned(std::ostream &out, std::size_t terminalColumns) const;

  std::vector<std::string> heading_;
  std::vector<std::vector<std::string>> rows_;
};

} // namespace popscope::text
