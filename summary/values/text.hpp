// Text: Markdown documents and tables.
#pragma once

#include "summary/values/value.hpp"

#include <string>
#include <vector>

namespace popscope::summary {

// Tables and fenced code work; HTML is removed by TensorBoard. Bytes that are
// not UTF-8 are shown as U+FFFD.
struct Markdown {
  std::string text;
};

Value toValue(const Markdown &document);

// Rows of equal length; the cells may hold Markdown. Throws
// std::invalid_argument if a row differs in length from the first (or from the
// header, if there is one).
struct TextTable {
  std::vector<std::string> header; // none if empty
  std::vector<std::vector<std::string>> rows;
};

Value toValue(const TextTable &table);

} // namespace popscope::summary
