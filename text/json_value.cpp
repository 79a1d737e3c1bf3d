#include "text/json_value.hpp"

#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace popscope::text {

namespace {

constexpr unsigned kMostDepth = 100;

void appendUtf8(std::string &to, std::uint32_t code) {
  const auto tail = [&](unsigned shift) {
    to += char(0x80 | (code >> shift & 0x3f));
  };
  if (code < 0x80) {
    to += char(code);
  } else if (code < 0x800) {
    to += char(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    to += char(0xe0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    to += char(0xf0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  JsonValue document() {
    JsonValue value = parse(0);
    skipBlanks();
    if (at_ != text_.size())
      fail("nothing more");
    return value;
  }

private:
  [[noreturn]] void fail(const std::string &expected) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t column = at_ - (before.rfind('\n') + 1) + 1;
    throw std::invalid_argument("not JSON: " + expected +
                                " is expected in line " + std::to_string(line) +
                                ", column " + std::to_string(column));
  }
  void skipBlanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) !=
                                     std::string_view::npos)
      ++at_;
  }
  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word)
      return false;
    at_ += word.size();
    return true;
  }
  void require(char sign) {
    skipBlanks();
    if (!take({&sign, 1}))
      fail(std::string("'") + sign + "'");
  }

  JsonValue parse(unsigned depth) {
    if (depth > kMostDepth)
      fail("less nesting");
    skipBlanks();
    if (at_ == text_.size())
      fail("a value");
    switch (text_[at_]) {
    case '{':
      return JsonValue(object(depth));
    case '[':
      return JsonValue(array(depth));
    case '"':
      return JsonValue(string());
    default:
      break;
    }
    if (take("null"))
      return {};
    if (take("true"))
      return JsonValue(true);
    if (take("false"))
      return JsonValue(false);
    return JsonValue(number());
  }

  JsonValue::Object object(unsigned depth) {
    JsonValue::Object members;
    require('{');
    skipBlanks();
    while (!take("}")) {
      if (!members.empty())
        require(',');
      skipBlanks();
      std::string name = string();
      require(':');
      members.emplace_back(std::move(name), parse(depth + 1));
      skipBlanks();
    }
    return members;
  }

  JsonValue::Array array(unsigned depth) {
    JsonValue::Array items;
    require('[');
    skipBlanks();
    while (!take("]")) {
      if (!items.empty())
        require(',');
      items.push_back(parse(depth + 1));
      skipBlanks();
    }
    return items;
  }

  double number() {
    const std::size_t end =
        std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    const std::string digits(text_.substr(at_, end - at_));
    char *stop = nullptr;
    const double value = std::strtod(digits.c_str(), &stop);
    if (digits.empty() || *stop != '\0')
      fail("a value");
    at_ = end;
    return value;
  }

  std::string string() {
    require('"');
    std::string value;
    while (!take("\"")) {
      if (at_ == text_.size())
        fail("the end of a string");
      const char c = text_[at_++];
      if (c == '\\')
        escape(value);
      else
        value += c;
    }
    return value;
  }

  void escape(std::string &to) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t letter =
        at_ < text_.size() ? kLetters.find(text_[at_]) : std::string_view::npos;
    if (letter != std::string_view::npos) {
      ++at_;
      to += kMeanings[letter];
    } else if (take("u")) {
      appendUtf8(to, unicode());
    } else {
      fail("an escape");
    }
  }

  std::uint32_t unicode() {
    const std::uint32_t high = fourDigits();
    constexpr std::uint32_t kHigh = 0xd800, kLow = 0xdc00, kEnd = 0xe000;
    if (high < kHigh || high >= kLow || !take("\\u"))
      return high;
    const std::uint32_t low = fourDigits();
    if (low < kLow || low >= kEnd)
      fail("the second half of a character");
    return 0x10000 + ((high - kHigh) << 10) + (low - kLow);
  }

  std::uint32_t fourDigits() {
    const std::string digits(text_.substr(at_, 4));
    if (digits.size() != 4 ||
        digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
      fail("four hexadecimal digits");
    at_ += 4;
    return std::uint32_t(std::strtoul(digits.c_str(), nullptr, 16));
  }

  const std::string_view text_;
  std::size_t at_ = 0;
};

template <class T, class Variant>
T valueOr(const Variant &value, const T &other) {
  const T *const held = std::get_if<T>(&value);
  return held ? *held : other;
}

} // namespace

bool JsonValue::boolOr(bool other) const { return valueOr(value_, other); }
double JsonValue::numberOr(double other) const {
  return valueOr(value_, other);
}
std::string JsonValue::stringOr(const std::string &other) const {
  return valueOr(value_, other);
}

std::uint64_t JsonValue::countOr(std::uint64_t other,
                                 std::uint64_t most) const {
  const double number = numberOr(-1);
  if (!(number >= 0 && number <= double(std::min(most, kMostCount))) ||
      number != double(std::uint64_t(number)))
    return other;
  return std::uint64_t(number);
}
std::uint32_t JsonValue::count32Or(std::uint32_t other) const {
  return std::uint32_t(
      countOr(other, std::numeric_limits<std::uint32_t>::max()));
}

const JsonValue::Array &JsonValue::items() const {
  static const Array none;
  const Array *const held = std::get_if<Array>(&value_);
  return held ? *held : none;
}

const JsonValue::Object &JsonValue::members() const {
  static const Object none;
  const Object *const held = std::get_if<Object>(&value_);
  return held ? *held : none;
}

const JsonValue &JsonValue::operator[](std::string_view name) const {
  static const JsonValue null;
  for (const auto &[key, value] : members())
    if (key == name)
      return value;
  return null;
}

std::string toJson(const JsonValue &value) {
  std::string text;
  if (value.isObject()) {
    for (const auto &[name, member] : value.members())
      text +=
          (text.empty() ? "" : ", ") + jsonString(name) + ": " + toJson(member);
    return "{" + text + "}";
  }
  if (std::holds_alternative<JsonValue::Array>(value.value_)) {
    for (const JsonValue &item : value.items())
      text += (text.empty() ? "" : ", ") + toJson(item);
    return "[" + text + "]";
  }
  if (const auto *const number = std::get_if<double>(&value.value_)) {
    constexpr double kMostExact = 9007199254740992; // 2^53
    return std::abs(*number) < kMostExact && *number == std::trunc(*number)
               ? std::to_string(static_cast<std::int64_t>(*number))
               : jsonNumber(*number);
  }
  if (const auto *const string = std::get_if<std::string>(&value.value_))
    return jsonString(*string);
  if (const auto *const boolean = std::get_if<bool>(&value.value_))
    return *boolean ? "true" : "false";
  return "null";
}

JsonValue parseJson(std::string_view text) { return Parser(text).document(); }

} // namespace popscope::text
