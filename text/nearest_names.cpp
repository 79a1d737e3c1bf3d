#include "text/nearest_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <utility>

namespace popscope::text {

namespace {

// Changes of a character that lead from the pattern to some part of the name.
std::size_t distanceWithin(const std::string &pattern,
                           const std::string &name) {
  std::vector<std::size_t> row(name.size() + 1, 0); // may begin anywhere
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < name.size(); ++j) {
      const auto lower = [](char c) {
        return std::tolower(static_cast<unsigned char>(c));
      };
      const std::size_t change =
          diagonal + (lower(pattern[i]) != lower(name[j]));
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return *std::min_element(row.begin(), row.end()); // and end anywhere
}

} // namespace

std::string nearestNames(const std::string &text,
                         const std::vector<std::string> &names) {
  std::string pattern;
  for (const char c : text)
    if (c != '*' && c != '?' && c != '"')
      pattern += c;
  std::set<std::pair<std::size_t, std::string>> ranked;
  for (const std::string &name : names)
    ranked.emplace(distanceWithin(pattern, name), name);
  std::string nearest;
  unsigned listed = 0;
  for (const auto &[distance, name] : ranked) {
    if (listed++ == 3)
      break;
    nearest += (nearest.empty() ? "" : ", ") + name;
  }
  return nearest;
}

} // namespace popscope::text
