#include "host/events/text_output.hpp"

#include "summary/utf8.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace popscope::host::events {

namespace {

// Significant digits without a point, and the exponent of the first.
struct Decimal {
  std::string digits;
  int exponent;
};

Decimal shortestDecimal(double magnitude) {
  char text[40];
  int precision = 0;
  do
    std::snprintf(text, sizeof text, "%.*e", precision++, magnitude);
  while (std::strtod(text, nullptr) != magnitude);
  std::string digits(text, std::string_view(text).find('e'));
  const int exponent = std::atoi(text + digits.size() + 1);
  digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  return {digits, exponent};
}

std::string zeros(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), '0');
}

std::string withPoint(std::string digits, std::size_t at) {
  if (digits.size() > at)
    digits.insert(at, 1, '.');
  return digits;
}

std::string escaped(unsigned char control) {
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04x", control);
  return text;
}

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

std::string pythonNumber(double value) {
  if (std::isnan(value))
    return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value))
    return sign + "inf";
  const auto [digits, exponent] = shortestDecimal(std::fabs(value));
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    char suffix[8];
    std::snprintf(suffix, sizeof suffix, "e%+03d", exponent);
    return sign + withPoint(digits, 1) + suffix;
  }
  if (exponent < 0)
    return sign + "0." + zeros(-exponent - 1) + digits;
  if (count <= exponent + 1)
    return sign + digits + zeros(exponent + 1 - count) + ".0";
  return sign + withPoint(digits, static_cast<std::size_t>(exponent) + 1);
}

std::string jsonNumber(double value) {
  if (std::isnan(value))
    return "\"NaN\"";
  if (std::isinf(value))
    return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return pythonNumber(value);
}

std::string oneLine(std::string_view text) {
  std::string line;
  for (const char c : summary::toUtf8(text))
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      line += escaped(static_cast<unsigned char>(c));
    else
      line += c;
  return line;
}

std::string jsonString(std::string_view text) {
  std::string json = "\"";
  for (const char c : summary::toUtf8(text))
    if (c == '"' || c == '\\')
      json += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      json += escaped(static_cast<unsigned char>(c));
    else
      json += c;
  return json + '"';
}

std::string csvCell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(text);
  std::string cell = "\"";
  for (const char c : text)
    cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

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

} // namespace popscope::host::events
