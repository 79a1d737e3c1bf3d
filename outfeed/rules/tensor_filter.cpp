#include "outfeed/rules/tensor_filter.hpp"

#include "outfeed/rules/rule_error.hpp"
#include "outfeed/rules/rule_scanner.hpp"
#include "outfeed/rules/tensor_property.hpp"
#include "outfeed/rules/text_pattern.hpp"
#include "text/nearest_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace popscope::outfeed {

namespace {

using Matcher = std::function<bool(const TensorTraits &)>;

// Of ! and (. Parsing and matching recurse this deep at most.
constexpr unsigned kDeepestNesting = 100;

constexpr const char *kTermExpected =
    "expected a name or a property, as in conv_0 or kind:gradient";

Matcher nameMatcher(const std::string &word) {
  return [contains = partOrGlob(word)](const TensorTraits &t) {
    return contains(t.name);
  };
}

// All terms in one list, not in a chain of pairs, whose depth would grow with
// their number.
Matcher anyOf(std::vector<Matcher> terms) {
  if (terms.size() == 1)
    return std::move(terms.front());
  return [terms = std::move(terms)](const TensorTraits &t) {
    return std::any_of(terms.begin(), terms.end(),
                       [&](const Matcher &term) { return term(t); });
  };
}

Matcher allOf(std::vector<Matcher> terms) {
  if (terms.size() == 1)
    return std::move(terms.front());
  return [terms = std::move(terms)](const TensorTraits &t) {
    return std::all_of(terms.begin(), terms.end(),
                       [&](const Matcher &term) { return term(t); });
  };
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::vector<std::string> propertyNames() {
  std::vector<std::string> names;
  for (const TensorProperty &property : tensorProperties())
    names.push_back(property.name);
  return names;
}

// "bias:0" is part of a name and "knd:gradient" a property that does not exist:
// properties consist of letters, and in the name of a variable a digit follows
// the colon. "stag:1" is taken for a property too, one letter from an existing
// one.
bool looksLikeProperty(const std::string &word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos || colon == 0)
    return false;
  const std::string head = word.substr(0, colon);
  if (!std::all_of(head.begin(), head.end(),
                   [](unsigned char c) { return std::isalpha(c); }))
    return false;
  if (colon + 1 == word.size() ||
      !std::isdigit(static_cast<unsigned char>(word[colon + 1])))
    return true;
  const std::vector<std::string> names = propertyNames();
  return std::any_of(names.begin(), names.end(), [&](const auto &name) {
    return text::changesBetween(head, name) == 1;
  });
}

// Recursive descent:
//   either := both { ('|' or '||' or "or") both }
//   both   := one { ('&' or '&&' or "and") one }
//   one    := ('!' or "not") one, or '(' either ')', or term
//   term   := word, or property (':' or '~' or '<' ...) word
class Parser {
public:
  explicit Parser(std::string_view text) : scanner_(text) {}

  Matcher parse() {
    Matcher result = either();
    if (scanner_.next() == ')')
      failHere("there is no '(' for this ')'");
    if (!scanner_.atEnd())
      failHere("expected '&' or '|' between two terms");
    return result;
  }

private:
  Matcher either() {
    std::vector<Matcher> terms;
    do
      terms.push_back(both());
    while (takeJoint('|', "or"));
    return anyOf(std::move(terms));
  }

  Matcher both() {
    std::vector<Matcher> terms;
    do
      terms.push_back(one());
    while (takeJoint('&', "and"));
    return allOf(std::move(terms));
  }

  bool takeJoint(char sign, std::string_view word) {
    if (!scanner_.take(sign))
      return scanner_.takeWord(word);
    scanner_.takeHere(sign); // && and ||
    return true;
  }

  Matcher one() {
    if (depth_ > kDeepestNesting)
      failHere("more than " + std::to_string(kDeepestNesting) +
               " '!' and '(' within each other; use fewer, or several rules");
    ++depth_;
    Matcher result = negationOrGroup();
    --depth_;
    return result;
  }

  Matcher negationOrGroup() {
    const std::size_t begin = scanner_.place();
    if (scanner_.take('!') || scanner_.takeWord("not"))
      return [inner = one()](const TensorTraits &t) { return !inner(t); };
    if (!scanner_.take('('))
      return term();
    Matcher inner = either();
    if (!scanner_.take(')'))
      scanner_.failAt(begin, "this '(' is not closed");
    return inner;
  }

  Matcher term() {
    if (scanner_.next() == '"')
      return nameMatcher(scanner_.readWord(kTermExpected));
    const std::size_t begin = scanner_.place();
    const std::string word = scanner_.readWord(kTermExpected);
    if (word == "and" || word == "or")
      scanner_.failAt(begin, kTermExpected);
    const std::string head = word.substr(0, word.find_first_of(":="));
    if (const TensorProperty *property = findProperty(head)) {
      scanner_.goBackTo(begin + head.size());
      return property->text ? textTerm(*property) : numberTerm(*property);
    }
    const bool isCompared =
        !scanner_.atEnd() && std::string_view(":~<>").find(scanner_.next()) !=
                                 std::string_view::npos;
    if (isCompared || looksLikeProperty(word))
      scanner_.failAt(begin, "no property '" + head + "'; " +
                                 suggestion(head, propertyNames()) +
                                 "; in quotes this is part of a name");
    return nameMatcher(word);
  }

  static std::string suggestion(const std::string &word,
                                const std::vector<std::string> &known) {
    return "did you mean " + text::nearestName(word, known) + "? (" +
           joined(known) + ")";
  }

  Matcher textTerm(const TensorProperty &property) {
    if (scanner_.take(':'))
      return valueTerm(property);
    if (scanner_.take('~'))
      return regexTerm(property);
    const std::size_t begin = scanner_.place();
    const bool isNegated = scanner_.take('!');
    if (scanner_.takeHere('=') || scanner_.takeHere('<') ||
        scanner_.takeHere('>'))
      scanner_.failAt(
          begin,
          "'" + property.name +
              "' is compared by ':' or "
              "'~', as in " +
              (isNegated ? "!" : "") + property.name + ":" +
              (property.values.empty() ? "conv_*" : property.values.front()));
    scanner_.goBackTo(begin);
    return nameMatcher(property.name); // a word like any other
  }

  Matcher valueTerm(const TensorProperty &property) {
    const std::size_t begin = scanner_.place();
    const std::string value =
        scanner_.readWord("expected a value after '" + property.name + ":'");
    const TextPattern pattern = wordOrGlob(value);
    const std::vector<std::string> &known = property.values;
    if (!known.empty() && std::none_of(known.begin(), known.end(), pattern))
      scanner_.failAt(begin, "no " + property.name + " '" + value + "'; " +
                                 suggestion(value, known));
    return [text = property.text, pattern](const TensorTraits &t) {
      return pattern(text(t));
    };
  }

  Matcher regexTerm(const TensorProperty &property) {
    const std::size_t quote = scanner_.next() == '"';
    const std::size_t begin = scanner_.place() + quote;
    const std::string expression =
        scanner_.readPattern("expected a regular expression after '~'");
    try {
      return [text = property.text, pattern = regularExpression(expression)](
                 const TensorTraits &t) { return pattern(text(t)); };
    } catch (const RuleError &error) {
      scanner_.failAt(begin + error.at(), error.reason());
    }
  }

  Matcher numberTerm(const TensorProperty &property) {
    const bool less = scanner_.take('<');
    const bool more = !less && scanner_.take('>');
    const bool orEqual = (less || more) && scanner_.takeHere('=');
    if (!less && !more && !scanner_.take(':'))
      failHere("'" + property.name +
               "' is compared by ':', '<', '<=', '>' or "
               "'>=', as in " +
               property.name + ">=1");
    const std::uint64_t bound = scanner_.readNumber(
        std::numeric_limits<std::uint64_t>::max(), "expected a whole number");
    return [=, number = property.number](const TensorTraits &t) {
      const std::uint64_t value = number(t);
      return (less && value < bound) || (more && value > bound) ||
             ((orEqual || (!less && !more)) && value == bound);
    };
  }

  [[noreturn]] void failHere(const std::string &reason) {
    scanner_.failAt(scanner_.place(), reason);
  }

  RuleScanner scanner_;
  unsigned depth_ = 0;
};

} // namespace

TensorFilter::TensorFilter()
    : matches_([](const TensorTraits &) { return true; }) {}

TensorFilter TensorFilter::parse(std::string_view text) {
  TensorFilter filter;
  filter.matches_ = Parser(text).parse();
  filter.text_ = text;
  return filter;
}

} // namespace popscope::outfeed
