#include "text/table.hpp"

#include <algorithm>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace popscope::text {

namespace {

// Code points, which is what a terminal shows of most scripts.
std::size_t widthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(),
                    [](char byte) { return (byte & 0xc0) != 0x80; }));
}

bool isNumber(const std::string &cell) {
  return !cell.empty() &&
         cell.find_first_not_of("+-.,0123456789e") == std::string::npos;
}

constexpr std::string_view kGap = "  "; // before and between columns
constexpr std::size_t kNarrowest = 12;  // a column that is folded

// Narrows columns of text, the widest first, until all fit; if they cannot, the
// terminal may as well break the lines.
template <class IsNumber>
void foldWidest(std::vector<std::size_t> &widths, const IsNumber &isNumber,
                std::size_t columns) {
  std::vector<std::size_t> narrow = widths;
  std::size_t total = 0;
  for (const std::size_t width : widths)
    total += kGap.size() + width;
  for (; total > columns; --total) {
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

// Takes from the front of the cell what goes into one line of it: all, or as
// much as ends where a name has a joint.
std::string takePiece(std::string &cell, std::size_t width) {
  if (widthOf(cell) <= width)
    return std::exchange(cell, std::string());
  std::size_t end = 0; // in bytes
  for (std::size_t shown = 0; shown <= width; ++end)
    shown += (cell[end] & 0xc0) != 0x80;
  --end; // where the first character begins that is too many
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

void Table::print(std::ostream &out, Layout layout, std::size_t columns) const {
  if (layout == Layout::aligned)
    return printAligned(out, columns);
  for (const auto &row : rows_)
    for (std::size_t column = 0; column < row.size(); ++column)
      out << row[column] << (column + 1 < row.size() ? '\t' : '\n');
}

void Table::printAligned(std::ostream &out, std::size_t columns) const {
  std::vector<std::size_t> widths;
  for (const auto &cell : heading_)
    widths.push_back(widthOf(cell));
  for (const auto &row : rows_)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], widthOf(row[column]));
  const auto isRight = [&](std::size_t column) {
    return !rows_.empty() && isNumber(rows_[0][column]);
  };
  foldWidest(widths, isRight, columns);

  const auto printRow = [&](std::vector<std::string> row) {
    for (bool isLeft = true; isLeft;) {
      std::string line;
      isLeft = false;
      for (std::size_t column = 0; column < row.size(); ++column) {
        const std::string piece = takePiece(row[column], widths[column]);
        const std::string padding(widths[column] - widthOf(piece), ' ');
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
