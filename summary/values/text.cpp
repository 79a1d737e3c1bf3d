#include "summary/values/text.hpp"

#include "summary/encoding/utf8.hpp"
#include "summary/values/tensor.hpp"

#include <stdexcept>

namespace popscope::summary {
namespace {

ValueMetadata textMetadata() { return {"text", {}, {}, {}}; }

// TensorBoard's own tables have no header row, Markdown's have.
std::string cellText(const std::string &cell) {
  std::string text;
  for (const char c : cell) {
    if (c == '|')
      text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text;
}

std::string rowLine(const std::vector<std::string> &cells) {
  std::string line = "|";
  for (const std::string &cell : cells)
    line += ' ' + cellText(cell) + " |";
  return line + '\n';
}

Markdown withHeader(const TextTable &table) {
  Markdown document{rowLine(table.header)};
  document.text +=
      rowLine(std::vector<std::string>(table.header.size(), "---"));
  for (const auto &row : table.rows)
    document.text += rowLine(row);
  return document;
}

} // namespace

Value toValue(const Markdown &document) {
  return toValue(StringTensor{{}, {toUtf8(document.text)}}, textMetadata());
}

Value toValue(const TextTable &table) {
  const std::size_t columns = !table.header.empty() ? table.header.size()
                              : table.rows.empty()  ? 0
                                                    : table.rows[0].size();
  for (const auto &row : table.rows)
    if (row.size() != columns)
      throw std::invalid_argument(
          "[summary] the rows of a text table differ in length");
  if (!table.header.empty())
    return toValue(withHeader(table));
  StringTensor tensor{{static_cast<std::int64_t>(table.rows.size()),
                       static_cast<std::int64_t>(columns)},
                      {}};
  for (const auto &row : table.rows)
    for (const std::string &cell : row)
      tensor.elements.push_back(toUtf8(cell));
  return toValue(tensor, textMetadata());
}

} // namespace popscope::summary
