#include "outfeed/rules/condition.hpp"

#include "outfeed/rules/rule_scanner.hpp"
#include "outfeed/rules/statistic_name.hpp"
#include "text/nearest_names.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace popscope::outfeed {

namespace {

constexpr const char *kUnchanged = "unchanged";

struct Sign {
  const char *text;
  Comparison comparison;
};

// Those of two characters before their beginnings.
constexpr Sign kSigns[] = {
    {">=", Comparison::greaterOrEqual}, {"<=", Comparison::lessOrEqual},
    {"==", Comparison::equal},          {"!=", Comparison::notEqual},
    {">", Comparison::greater},         {"<", Comparison::less}};

const char *signOf(Comparison comparison) {
  for (const Sign &sign : kSigns)
    if (sign.comparison == comparison)
      return sign.text;
  return "";
}

// With as many digits as it takes to read it back.
std::string shortest(float number) {
  int digits = 4;
  std::string text;
  do
    text = text::significant(double(number), digits++);
  while (digits <= 9 && std::strtof(text.c_str(), nullptr) != number);
  return text;
}

bool isOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool isOfNumber(char c) {
  return isOfName(c) || c == '.' || c == '+' || c == '-';
}

Statistic readStatistic(RuleScanner &scanner, const std::string &name,
                        std::size_t begin) {
  if (const auto statistic = statisticNamed(name))
    return *statistic;
  std::vector<std::string> names = statisticNames();
  names.emplace_back(kUnchanged);
  scanner.failAt(begin, "no statistic '" + name + "'; did you mean " +
                            text::nearestName(name, names) + "?");
}

Comparison readComparison(RuleScanner &scanner) {
  for (const Sign &sign : kSigns)
    if (scanner.takeSign(sign.text))
      return sign.comparison;
  scanner.failAt(scanner.place(),
                 "expected a comparison (> >= < <= == !=), as in abs_max>1e4");
}

float readFactor(RuleScanner &scanner) {
  const std::size_t begin = scanner.place();
  const std::string word = scanner.readRun(
      isOfNumber, "expected a number, or one times mean, e.g. 1e4 or 10*mean");
  char *end = nullptr;
  const float number = std::strtof(word.c_str(), &end);
  if (end != word.c_str() + word.size() || !std::isfinite(number))
    scanner.failAt(begin,
                   "expected a number, or one times mean, not '" + word + "'");
  return number;
}

void readTerm(RuleScanner &scanner, bool isFirst, Condition &condition) {
  const std::size_t begin = scanner.place();
  const std::string name = scanner.readRun(
      isOfName, "expected a statistic, e.g. abs_max>1e4 or unchanged");
  ConditionTerm term{Statistic::nan, Comparison::unchanged, false, isFirst};
  float limit = 0;
  if (name != kUnchanged) {
    term.statistic = readStatistic(scanner, name, begin);
    term.comparison = readComparison(scanner);
    limit = 1;
    term.timesMean = scanner.takeWord("mean");
    if (!term.timesMean) {
      limit = readFactor(scanner);
      term.timesMean = scanner.take('*');
      if (term.timesMean && !scanner.takeWord("mean"))
        scanner.failAt(scanner.place(),
                       "expected mean after '*', as in 10*mean");
    }
  }
  condition.terms.push_back(term);
  condition.limits.push_back(limit);
}

} // namespace

StatsTier Condition::tier() const {
  StatsTier tier = StatsTier::alarm;
  for (const ConditionTerm &term : terms)
    tier = std::max(tier, tierOf(term));
  return tier;
}

std::string Condition::text() const {
  std::string text;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const ConditionTerm &term = terms[t];
    if (t != 0)
      text += term.isFirst ? " or " : " and ";
    if (term.comparison == Comparison::unchanged) {
      text += kUnchanged;
      continue;
    }
    text += std::string(nameOf(term.statistic)) + signOf(term.comparison) +
            shortest(limits[t]) + (term.timesMean ? "*mean" : "");
  }
  return text;
}

Condition parseCondition(std::string_view text) {
  Condition condition;
  RuleScanner scanner(text);
  bool isFirst = true;
  do {
    readTerm(scanner, isFirst, condition);
    isFirst = scanner.takeWord("or");
  } while (isFirst || scanner.takeWord("and"));
  if (scanner.next() == '@')
    scanner.failAt(scanner.place(),
                   "the schedule comes before the condition: FILTER @ SCHEDULE "
                   "when CONDITION");
  if (scanner.takeWord("for"))
    scanner.failAt(scanner.place(),
                   "'for' comes after the payload, e.g. -> stats for 50");
  if (!scanner.atEnd())
    scanner.failAt(scanner.place(), "expected 'and', 'or' or '->' here");
  return condition;
}

std::string describe(const Condition &condition, const Evidence &evidence) {
  const ConditionTerm &term = condition.terms.at(evidence.term);
  if (term.comparison == Comparison::unchanged)
    return kUnchanged;
  const auto number = [](float value) {
    return text::significant(double(value), 3);
  };
  std::string text = nameOf(term.statistic);
  text += " " + number(evidence.value) + " " + signOf(term.comparison) + " ";
  if (!term.timesMean)
    return text + number(evidence.limit);
  return text + number(condition.limits[evidence.term]) + "*mean (" +
         number(evidence.limit) + ")";
}

} // namespace popscope::outfeed
