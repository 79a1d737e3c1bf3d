#include "text/nearest_names.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace popscope::text {

namespace {

char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }

// Edit distances: `row` has, for each place in the name, what it costs to begin
// there; the result, what it costs to have spelt the word up to there.
std::vector<std::size_t> distances(const std::string &word,
                                   const std::string &name,
                                   std::vector<std::size_t> row) {
  for (const char letter : word) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < name.size(); ++j) {
      const std::size_t change = diagonal + (lower(letter) != lower(name[j]));
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row;
}

// The changes that turn the pattern into some part of the name.
std::size_t distanceWithin(const std::string &pattern,
                           const std::string &name) {
  const auto row =
      distances(pattern, name, std::vector<std::size_t>(name.size() + 1, 0));
  return *std::min_element(row.begin(), row.end());
}

struct Ranked {
  std::size_t within; // changes that turn the text into a part of the name
  std::size_t whole;  // and into all of it
  std::string name;

  bool operator<(const Ranked &other) const {
    return std::tie(within, whole, name) <
           std::tie(other.within, other.whole, other.name);
  }
};

// The nearest first.
std::set<Ranked> ranked(const std::string &text,
                        const std::vector<std::string> &names) {
  std::string pattern;
  for (const char c : text)
    if (c != '*' && c != '?' && c != '"')
      pattern += c;
  std::set<Ranked> ranked;
  for (const std::string &name : names)
    ranked.insert(
        {distanceWithin(pattern, name), changesBetween(pattern, name), name});
  return ranked;
}

} // namespace

std::string nearestNames(const std::string &text,
                         const std::vector<std::string> &names) {
  std::string nearest;
  unsigned listed = 0;
  for (const Ranked &near : ranked(text, names)) {
    if (listed++ == 3)
      break;
    nearest += (nearest.empty() ? "" : ", ") + near.name;
  }
  return nearest;
}

std::string nearestName(const std::string &text,
                        const std::vector<std::string> &names) {
  return ranked(text, names).begin()->name;
}

std::string similarName(const std::string &text,
                        const std::vector<std::string> &names) {
  std::string nearest;
  std::size_t least = std::string::npos;
  for (const std::string &name : names)
    if (const std::size_t changes = changesBetween(text, name);
        changes < least && 2 * changes <= name.size()) {
      nearest = name;
      least = changes;
    }
  return nearest;
}

std::size_t changesBetween(const std::string &a, const std::string &b) {
  std::vector<std::size_t> fromBegin(b.size() + 1);
  std::iota(fromBegin.begin(), fromBegin.end(), std::size_t(0));
  return distances(a, b, std::move(fromBegin)).back();
}

} // namespace popscope::text
