#include "outfeed/tensor_filter.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fnmatch.h>
#include <regex>
#include <stdexcept>

namespace popscope::outfeed {

namespace {

using Matcher = std::function<bool(const TensorTraits &)>;

Matcher nameMatcher(const std::string &word) {
  if (word.find_first_of("*?") != std::string::npos)
    return [word](const TensorTraits &t) {
      return fnmatch(word.c_str(), t.name.c_str(), 0) == 0;
    };
  return [word](const TensorTraits &t) {
    return t.name.find(word) != std::string::npos;
  };
}

using TextOf = std::string (*)(const TensorTraits &);

TextOf textField(std::string_view field) {
  if (field == "name")
    return [](const TensorTraits &t) { return t.name; };
  if (field == "layer")
    return [](const TensorTraits &t) { return std::string(t.layer()); };
  if (field == "kind")
    return [](const TensorTraits &t) { return std::string(nameOf(t.kind)); };
  if (field == "at")
    return [](const TensorTraits &t) { return std::string(nameOf(t.moment)); };
  if (field == "dtype")
    return [](const TensorTraits &t) { return t.dtype; };
  return nullptr;
}

// What a property can be; nothing if it can be anything.
std::vector<std::string> valuesOf(std::string_view property) {
  using graph::TapMoment;
  using graph::TensorKind;
  std::vector<std::string> values;
  if (property == "kind")
    for (const TensorKind kind :
         {TensorKind::input, TensorKind::activation, TensorKind::gradient,
          TensorKind::weight, TensorKind::update, TensorKind::loss})
      values.emplace_back(nameOf(kind));
  if (property == "at")
    for (const TapMoment moment :
         {TapMoment::microBatch, TapMoment::accumulated, TapMoment::reduced,
          TapMoment::applied})
      values.emplace_back(nameOf(moment));
  if (property == "dtype")
    values = {"float", "half", "int", "unsigned"};
  return values;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

using NumberOf = std::uint64_t (*)(const TensorTraits &);

NumberOf numberField(std::string_view field) {
  if (field == "numel")
    return [](const TensorTraits &t) { return std::uint64_t(t.numElements); };
  if (field == "stage")
    return [](const TensorTraits &t) { return std::uint64_t(t.stage); };
  return nullptr;
}

// Recursive descent: either := both { '|' both }, both := one { '&' one },
// one := '!' one | '(' either ')' | term.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  Matcher parse() {
    Matcher result = either();
    if (!atEnd())
      fail("expected & or |");
    return result;
  }

private:
  Matcher either() {
    Matcher left = both();
    while (take('|'))
      left = [left, right = both()](const TensorTraits &t) {
        return left(t) || right(t);
      };
    return left;
  }

  Matcher both() {
    Matcher left = one();
    while (take('&'))
      left = [left, right = one()](const TensorTraits &t) {
        return left(t) && right(t);
      };
    return left;
  }

  Matcher one() {
    if (take('!'))
      return [inner = one()](const TensorTraits &t) { return !inner(t); };
    if (take('(')) {
      Matcher inner = either();
      if (!take(')'))
        fail("expected )");
      return inner;
    }
    return term();
  }

  Matcher term() {
    skipBlanks();
    const std::size_t begin = at_;
    const bool quoted = begin < text_.size() && text_[begin] == '"';
    const std::string word = readWord();
    if (!quoted) {
      const std::string property = word.substr(0, word.find('='));
      if (property != word && (textField(property) || numberField(property))) {
        at_ = begin + property.size();
        fail("a colon joins a property and its value, as in kind:gradient");
      }
      if (const TextOf field = textField(word)) {
        if (take(':'))
          return [field, value = readValue(word)](const TensorTraits &t) {
            return field(t) == value;
          };
        if (take('~'))
          return regexTerm(field);
      } else if (const NumberOf number = numberField(word)) {
        return numberTerm(number);
      } else if (at_ < text_.size() && isOperator(text_[at_])) {
        at_ = begin;
        fail("no such property; there are name, layer, kind, at, dtype, stage "
             "and numel");
      }
    }
    return nameMatcher(word);
  }

  // A word that the property can have.
  std::string readValue(const std::string &property) {
    skipBlanks();
    const std::size_t begin = at_;
    std::string value = readWord();
    const std::vector<std::string> known = valuesOf(property);
    if (!known.empty() &&
        std::find(known.begin(), known.end(), value) == known.end()) {
      at_ = begin;
      fail(property + " is one of " + joined(known));
    }
    return value;
  }

  Matcher regexTerm(TextOf field) {
    skipBlanks();
    const std::size_t begin = at_;
    const std::string pattern = readPattern();
    try {
      return [field, expression = std::regex(pattern)](const TensorTraits &t) {
        return std::regex_search(field(t), expression);
      };
    } catch (const std::regex_error &) {
      at_ = begin;
      fail("not a regular expression");
    }
  }

  Matcher numberTerm(NumberOf number) {
    const bool less = take('<');
    const bool more = !less && take('>');
    const bool orEqual = (less || more) && takeHere('=');
    if (!less && !more && !take(':'))
      fail("expected :, <, <=, > or >=");
    skipBlanks();
    const std::size_t begin = at_;
    const std::string word = readWord();
    std::uint64_t bound = 0;
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), bound);
    if (error != std::errc() || end != word.data() + word.size()) {
      at_ = begin;
      fail("expected a whole number");
    }
    return [=](const TensorTraits &t) {
      const std::uint64_t value = number(t);
      return (less && value < bound) || (more && value > bound) ||
             ((orEqual || (!less && !more)) && value == bound);
    };
  }

  static bool isOperator(char c) {
    return c == ':' || c == '~' || c == '<' || c == '>';
  }

  // Names hold colons (kernel:0_grad), so one ends a word only after the name
  // of a property; globs hold [!abc].
  bool endsWord(std::size_t begin) const {
    const char c = text_[at_];
    if (c == '!' && at_ > begin && text_[at_ - 1] == '[')
      return false;
    if (std::isspace(static_cast<unsigned char>(c)) ||
        std::string_view("&|!()~<>").find(c) != std::string_view::npos)
      return true;
    const std::string_view word = text_.substr(begin, at_ - begin);
    return c == ':' && (textField(word) || numberField(word));
  }

  std::string readWord() {
    skipBlanks();
    if (takeHere('"')) {
      const std::size_t begin = at_;
      const std::size_t end = text_.find('"', begin);
      if (end == std::string_view::npos)
        fail("the quote is not closed");
      at_ = end + 1;
      return std::string(text_.substr(begin, end - begin));
    }
    const std::size_t begin = at_;
    while (at_ < text_.size() && !endsWord(begin))
      ++at_;
    if (at_ == begin)
      fail("expected a name or a property");
    return std::string(text_.substr(begin, at_ - begin));
  }

  // A word that goes on to the end of its parentheses.
  std::string readPattern() {
    const std::size_t begin = at_;
    if (text_.substr(begin, 1) == "\"")
      return readWord();
    int depth = 0;
    while (at_ < text_.size() &&
           (depth > 0 || text_[at_] == '(' || !endsWord(begin))) {
      depth += (text_[at_] == '(') - (text_[at_] == ')');
      ++at_;
    }
    if (at_ == begin)
      fail("expected a regular expression");
    return std::string(text_.substr(begin, at_ - begin));
  }

  void skipBlanks() {
    while (at_ < text_.size() &&
           std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  bool atEnd() {
    skipBlanks();
    return at_ == text_.size();
  }
  bool take(char c) {
    skipBlanks();
    return takeHere(c);
  }
  bool takeHere(char c) {
    if (at_ >= text_.size() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(const std::string &why) const {
    throw std::invalid_argument("[outfeed] filter: " + why + "\n  " +
                                std::string(text_) + "\n  " +
                                std::string(at_, ' ') + "^");
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

std::string dtypeName(const poplar::Type &type) {
  return type == poplar::UNSIGNED_INT ? "unsigned"
                                      : std::string(type.toString());
}

} // namespace

const char *nameOf(graph::TensorKind kind) {
  using graph::TensorKind;
  switch (kind) {
  case TensorKind::input:
    return "input";
  case TensorKind::activation:
    return "activation";
  case TensorKind::gradient:
    return "gradient";
  case TensorKind::weight:
    return "weight";
  case TensorKind::update:
    return "update";
  case TensorKind::loss:
    break;
  }
  return "loss";
}

const char *nameOf(graph::TapMoment moment) {
  using graph::TapMoment;
  switch (moment) {
  case TapMoment::microBatch:
    return "microBatch";
  case TapMoment::accumulated:
    return "accumulated";
  case TapMoment::reduced:
    return "reduced";
  case TapMoment::applied:
    break;
  }
  return "applied";
}

std::string_view TensorTraits::layer() const {
  constexpr std::string_view kEnding = "_acts";
  const std::string_view whole = name;
  const std::size_t ending = whole.rfind(kEnding);
  const bool isLast = ending != std::string_view::npos &&
                      ending + kEnding.size() == whole.size();
  return whole.substr(0, isLast ? ending : whole.rfind('/'));
}

std::string tagOf(const TensorTraits &tensor) {
  using graph::TapMoment;
  if (tensor.kind != graph::TensorKind::gradient)
    return tensor.name;
  return tensor.name + (tensor.moment == TapMoment::microBatch
                            ? "_per_micro_batch"
                        : tensor.moment == TapMoment::reduced ? "_reduced"
                                                              : "");
}

TensorTraits traitsOf(const graph::TapPoint &point) {
  return {point.name,
          point.kind,
          point.moment,
          point.stage,
          dtypeName(point.tensor.elementType()),
          point.tensor.shape(),
          point.tensor.numElements()};
}

TensorFilter::TensorFilter()
    : matches_([](const TensorTraits &) { return true; }) {}

TensorFilter TensorFilter::parse(std::string_view text) {
  TensorFilter filter;
  filter.matches_ = Parser(text).parse();
  filter.text_ = text;
  return filter;
}

} // namespace popscope::outfeed
