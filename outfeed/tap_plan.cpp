#include "outfeed/tap_plan.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>
#include <utility>

namespace popscope::outfeed {

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

TapPlan::TapPlan(std::vector<TapRule> rules)
    : rules_(std::move(rules)), matched_(rules_.size(), false) {}

Tap *TapPlan::find(const TensorTraits &tensor) {
  const auto same = [&](const Tap &tap) {
    return tap.tensor.moment == tensor.moment && tap.tensor.name == tensor.name;
  };
  const auto found = std::find_if(taps_.begin(), taps_.end(), same);
  return found == taps_.end() ? nullptr : &*found;
}

Tap *TapPlan::add(const TensorTraits &tensor) {
  tensors_.push_back(tensor);
  const TapRule *chosen = nullptr;
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (rules_[r].filter.matches(tensor)) {
      matched_[r] = true;
      chosen = &rules_[r];
    }
  if (!chosen)
    return nullptr;
  if (Tap *known = find(tensor))
    return known;
  Tap tap;
  tap.id = TapId(taps_.size());
  tap.tensor = tensor;
  tap.schedule = chosen->schedule;
  tap.payload = chosen->payload;
  taps_.push_back(std::move(tap));
  return &taps_.back();
}

bool TapPlan::wants(const TensorTraits &tensor) const {
  return std::any_of(rules_.begin(), rules_.end(), [&](const TapRule &rule) {
    return rule.filter.matches(tensor);
  });
}

std::string TapPlan::nearestNames(const std::string &text) const {
  std::string pattern;
  for (const char c : text)
    if (c != '*' && c != '?' && c != '"')
      pattern += c;
  std::set<std::pair<std::size_t, std::string>> ranked;
  for (const TensorTraits &tensor : tensors_)
    ranked.emplace(distanceWithin(pattern, tensor.name), tensor.name);
  std::string names;
  unsigned listed = 0;
  for (const auto &[distance, name] : ranked) {
    if (listed++ == 3)
      break;
    names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

void TapPlan::requireMatches() const {
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (!matched_[r]) {
      const std::string &text = rules_[r].filter.text();
      throw std::invalid_argument(
          "[outfeed] rule " + std::to_string(r + 1) + ": no tensor matches '" +
          text + "'" +
          (tensors_.empty() ? "; the program has none to tap"
                            : "; the nearest are " + nearestNames(text)));
    }
}

} // namespace popscope::outfeed
