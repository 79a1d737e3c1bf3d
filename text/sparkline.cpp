#include "text/sparkline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace popscope::text {

namespace {

constexpr std::size_t kLevels = 8;
constexpr const char *kBars[kLevels] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                        "\u2585", "\u2586", "\u2587", "\u2588"};
constexpr char kSigns[] = "_.:-=+*#";
constexpr std::size_t kMiddle = 2; // of a series that does not change

} // namespace

Alphabet alphabetOfTerminal() {
  for (const char *name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char *const value = std::getenv(name);
    if (!value || *value == '\0')
      continue;
    const std::string locale = value;
    for (const char *encoding : {"UTF-8", "utf-8", "UTF8", "utf8"})
      if (locale.find(encoding) != std::string::npos)
        return Alphabet::utf8;
    return Alphabet::ascii;
  }
  return Alphabet::ascii;
}

Sparkline::Sparkline(std::size_t values, std::size_t columns)
    : values_(values), cells_(std::min(values, columns)) {}

void Sparkline::add(double value) {
  if (added_ == values_)
    return;
  // In long double, so that it does not overflow with many values.
  const auto at = static_cast<std::size_t>(static_cast<long double>(added_++) *
                                           cells_.size() / values_);
  Cell &cell = cells_[std::min(at, cells_.size() - 1)];
  if (!std::isfinite(value)) {
    cell.isBad = true;
    return;
  }
  // A sum could overflow.
  const auto count = static_cast<double>(++cell.finite);
  cell.mean += value / count - cell.mean / count;
}

std::string Sparkline::text(Alphabet alphabet) const {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Cell &cell : cells_)
    if (cell.finite != 0) {
      low = std::min(low, cell.mean);
      high = std::max(high, cell.mean);
    }
  std::string line;
  for (const Cell &cell : cells_) {
    if (cell.isBad || cell.finite == 0) {
      line += cell.isBad ? 'x' : ' ';
      continue;
    }
    // Halved, because the difference of two large numbers could overflow.
    const double share = (cell.mean / 2 - low / 2) / (high / 2 - low / 2);
    const std::size_t level =
        high > low
            ? std::min<std::size_t>(std::size_t(share * kLevels), kLevels - 1)
            : kMiddle;
    if (alphabet == Alphabet::utf8)
      line += kBars[level];
    else
      line += kSigns[level];
  }
  return line;
}

} // namespace popscope::text
