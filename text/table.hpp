// Tables for a terminal or a pipe.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace popscope::text {

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

} // namespace popscope::text
