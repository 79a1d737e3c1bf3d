#include "poplar/base/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace ipumodel {

std::string withCommas(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3; at -= 3)
    text.insert(at - 3, 1, ',');
  return text;
}

std::string asBytes(std::uint64_t bytes) {
  constexpr const char *kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1024;
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << value << ' ' << kUnits[unit];
  return text.str();
}

std::string asPercent(double part, double all) {
  if (all == 0)
    return "";
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << 100 * part / all << '%';
  return text.str();
}

std::string asBar(double part, double all) {
  constexpr std::size_t kWidth = 20;
  const double share = all == 0 ? 0 : std::clamp(part / all, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(std::ceil(share * kWidth));
  return '[' + std::string(filled, '#') + std::string(kWidth - filled, '.') +
         ']';
}

TextTable::TextTable(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> row) {
  rows_.push_back(std::move(row));
}

void TextTable::print(std::ostream &os) const {
  std::vector<std::size_t> widths(rows_[0].size());
  for (const auto &row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const auto &row : rows_) {
    os << "    ";
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
      os << std::string(widths[i] - row[i].size(), ' ') << row[i] << "  ";
    os << row.back() << '\n';
  }
}

} // namespace ipumodel
