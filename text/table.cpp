#include "text/table.hpp"

#include "text/terminal.hpp"

#include <algorithm>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace popscope::text {

namespace {

bool isNumber(const std::string &cell) {
  if (cell == "inf" || cell == "-inf" || cell == "nan")
    return true;
  return !cell.empty() &&
         cell.find_first_not_of("+-.,0123456789e") == std::string::npos;
}

constexpr std::string_view kGap = "  "; // before and between columns
constexpr std::size_t kNarrowest = 12;  // a column that is folded

std::size_t lineWidth(const std::vector<std::size_t> &widths) {
  std::size_t total = 0;
  for (const std::size_t width : widths)
    total += kGap.size() + width;
  return total;
}

// Narrows columns of text, the widest first, until all fit; if they cannot,
// they stay as they are and the terminal breaks the lines.
template <class IsNumber>
void foldWidest(std::vector<std::size_t> &widths, const IsNumber &isNumber,
                std::size_t terminalColumns) {
  std::vector<std::size_t> narrow = widths;
  for (std::size_t total = lineWidth(widths); total > terminalColumns;
       --total) {
    std::size_t widest = narrow.size();
    for (std::size_t column = 0; column < narrow.size(); ++column)
      if (!isNumber(column) &&
          (widest == narrow.size() || narrow[column] > narrow[widest]))
        widest = column;
    if (widest == narrow.size() || narrow[widest] <= kNarrowest)
      return;
    --narrow[widest];
  }
  widths = narrow;
}

// Takes from the front of the cell what fits into one line: all of it, or as
// much as ends at a joint of the name.
std::string takePiece(std::string &cell, std::size_t width) {
  if (columnsOf(cell) <= width)
    return std::exchange(cell, std::string());
  std::size_t end = 0; // in bytes
  for (std::size_t shown = 0; shown <= width; ++end)
    shown += (cell[end] & 0xc0) != 0x80;
  --end; // the first character that does not fit begins here
  for (const char *joints : {"/", "._- "}) {
    const std::size_t joint = cell.find_last_of(joints, end - 1);
    if (joint != std::string::npos && 2 * (joint + 1) > end) {
      end = joint + 1;
      break;
    }
  }
  std::string piece = cell.substr(0, end);
  cell.erase(0, end);
  return piece;
}

} // namespace

Layout layoutOfStdout() {
  return isatty(STDOUT_FILENO) ? Layout::aligned : Layout::plain;
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const auto &cell : heading_)
    widths.push_back(columnsOf(cell));
  for (const auto &row : rows_)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], columnsOf(row[column]));
  return widths;
}

void Table::removeColumn(std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  heading_.erase(heading_.begin() + at);
  for (auto &row : rows_)
    row.erase(row.begin() + at);
}

std::vector<std::string>
Table::dropToFit(std::size_t terminalColumns,
                 const std::vector<std::string> &headings) {
  std::vector<std::string> dropped;
  for (const std::string &heading : headings) {
    if (lineWidth(widths()) <= terminalColumns)
      break;
    const auto found = std::find(heading_.begin(), heading_.end(), heading);
    if (found == heading_.end())
      continue;
    removeColumn(static_cast<std::size_t>(found - heading_.begin()));
    dropped.push_back(heading);
  }
  return dropped;
}

void Table::print(std::ostream &out, Layout layout,
                  std::size_t terminalColumns) const {
  if (layout == Layout::aligned)
    return printAligned(out, terminalColumns);
  const auto printRow = [&](const std::vector<std::string> &row) {
    for (std::size_t column = 0; column < row.size(); ++column)
      out << row[column] << (column + 1 < row.size() ? '\t' : '\n');
  };
  if (layout == Layout::headed)
    printRow(heading_);
  for (const auto &row : rows_)
    printRow(row);
}

void Table::printAligned(std::ostream &out, std::size_t terminalColumns) const {
  std::vector<std::size_t> widths = this->widths();
  const auto isRight = [&](std::size_t column) {
    return !rows_.empty() && isNumber(rows_[0][column]);
  };
  foldWidest(widths, isRight, terminalColumns);

  const auto printRow = [&](std::vector<std::string> row) {
    for (bool isLeft = true; isLeft;) {
      std::string line;
      isLeft = false;
      for (std::size_t column = 0; column < row.size(); ++column) {
        const std::string piece = takePiece(row[column], widths[column]);
        const std::string padding(widths[column] - columnsOf(piece), ' ');
        line += isRight(column) ? padding + piece : piece + padding;
        line += kGap;
        isLeft = isLeft || !row[column].empty();
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out << kGap << line << '\n';
    }
  };
  printRow(heading_);
  for (const auto &row : rows_)
    printRow(row);
}

} // namespace popscope::text
