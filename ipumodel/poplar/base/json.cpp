#include "poplar/base/json.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>

namespace ipumodel {
namespace {

constexpr unsigned kMaxDepth = 1000;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

void appendUtf8(std::string &text, unsigned codePoint) {
  const auto continuation = [&](int shift) {
    text += char(0x80 | (codePoint >> shift & 0x3f));
  };
  if (codePoint < 0x80) {
    text += char(codePoint);
  } else if (codePoint < 0x800) {
    text += char(0xc0 | codePoint >> 6);
    continuation(0);
  } else if (codePoint < 0x10000) {
    text += char(0xe0 | codePoint >> 12);
    continuation(6);
    continuation(0);
  } else {
    text += char(0xf0 | codePoint >> 18);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

poplar::ProfileValue readValue(JsonReader &reader, unsigned depth) {
  if (depth > kMaxDepth)
    reader.fail("less nesting");
  switch (reader.peek()) {
  case JsonReader::Kind::string:
    return reader.readString();
  case JsonReader::Kind::number:
    return std::strtod(std::string(reader.readNumber()).c_str(), nullptr);
  case JsonReader::Kind::boolean:
    return reader.readBoolean();
  case JsonReader::Kind::null:
    reader.fail("a value other than null");
  case JsonReader::Kind::array: {
    poplar::ProfileValue::Vector elements;
    reader.readArray([&] { elements.push_back(readValue(reader, depth + 1)); });
    return elements;
  }
  case JsonReader::Kind::object: {
    poplar::ProfileValue::Map members;
    reader.readObject([&](const std::string &key) {
      members[key] = readValue(reader, depth + 1);
    });
    return members;
  }
  }
  reader.fail("a value");
}

} // namespace

void JsonReader::fail(const std::string &expected) const {
  const std::string_view before = text_.substr(0, position_);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto lineStart = before.rfind('\n') + 1; // npos + 1 is 0
  throw poplar::parse_error("JSON, line " + std::to_string(line) + ", column " +
                            std::to_string(position_ - lineStart + 1) +
                            ": expected " + expected);
}

void JsonReader::skipSpace() {
  position_ =
      std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
}

bool JsonReader::accept(char c) {
  skipSpace();
  if (position_ == text_.size() || text_[position_] != c)
    return false;
  ++position_;
  return true;
}

void JsonReader::expect(char c) {
  if (!accept(c))
    fail(std::string("'") + c + "'");
}

bool JsonReader::acceptWord(std::string_view word) {
  skipSpace();
  if (text_.substr(position_, word.size()) != word)
    return false;
  position_ += word.size();
  return true;
}

JsonReader::Kind JsonReader::peek() {
  skipSpace();
  if (position_ < text_.size()) {
    switch (const char c = text_[position_]) {
    case '"':
      return Kind::string;
    case '{':
      return Kind::object;
    case '[':
      return Kind::array;
    case 't':
    case 'f':
      return Kind::boolean;
    case 'n':
      return Kind::null;
    default:
      if (c == '-' || isDigit(c))
        return Kind::number;
    }
  }
  fail("a value");
}

std::string JsonReader::readString() {
  if (!accept('"'))
    fail("a string");
  std::string text;
  for (;;) {
    if (position_ == text_.size())
      fail("'\"' at the end of the string");
    const char c = text_[position_];
    if (static_cast<unsigned char>(c) < 0x20)
      fail("an escape instead of a control character");
    ++position_;
    if (c == '"')
      return text;
    if (c == '\\')
      readEscape(text);
    else
      text += c;
  }
}

void JsonReader::readEscape(std::string &text) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char name = position_ < text_.size() ? text_[position_] : '\0';
  if (const auto known = kNames.find(name); known != kNames.npos) {
    ++position_;
    text += kMeanings[known];
    return;
  }
  if (name != 'u')
    fail("an escape character");
  ++position_;
  unsigned codePoint = readHex4();
  if (codePoint >= 0xd800 && codePoint < 0xdc00) { // first of a pair
    if (text_.substr(position_, 2) != "\\u")
      fail("the second half of a surrogate pair");
    position_ += 2;
    const unsigned low = readHex4();
    if (low < 0xdc00 || low >= 0xe000)
      fail("the second half of a surrogate pair");
    codePoint = 0x10000 + ((codePoint - 0xd800) << 10) + (low - 0xdc00);
  } else if (codePoint >= 0xdc00 && codePoint < 0xe000) {
    fail("the first half of a surrogate pair");
  }
  appendUtf8(text, codePoint);
}

unsigned JsonReader::readHex4() {
  unsigned value = 0;
  const std::string_view digits = text_.substr(position_, 4);
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + 4)
    fail("four hexadecimal digits");
  position_ += 4;
  return value;
}

void JsonReader::readDigits() {
  const auto begin = position_;
  while (position_ < text_.size() && isDigit(text_[position_]))
    ++position_;
  if (position_ == begin)
    fail("a digit");
}

std::string_view JsonReader::readNumber() {
  if (peek() != Kind::number)
    fail("a number");
  const auto at = [&](std::string_view any) {
    return position_ < text_.size() && any.find(text_[position_]) != any.npos;
  };
  const auto begin = position_;
  if (at("-"))
    ++position_;
  if (at("0"))
    ++position_; // no digits may follow
  else
    readDigits();
  if (at(".")) {
    ++position_;
    readDigits();
  }
  if (at("eE")) {
    ++position_;
    if (at("+-"))
      ++position_;
    readDigits();
  }
  return text_.substr(begin, position_ - begin);
}

bool JsonReader::readBoolean() {
  if (acceptWord("true"))
    return true;
  if (acceptWord("false"))
    return false;
  fail("true or false");
}

void JsonReader::finish() {
  skipSpace();
  if (position_ != text_.size())
    fail("nothing more");
}

poplar::ProfileValue parseJson(std::string_view text) {
  JsonReader reader(text);
  auto value = readValue(reader, 1);
  reader.finish();
  return value;
}

void writeJsonString(std::ostream &out, std::string_view text) {
  constexpr std::string_view kSpecial = "\"\\\b\f\n\r\t";
  constexpr std::string_view kNames = "\"\\bfnrt";
  out << '"';
  for (const char c : text) {
    if (const auto special = kSpecial.find(c); special != kSpecial.npos) {
      out << '\\' << kNames[special];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(c));
      out << escape;
    } else {
      out << c;
    }
  }
  out << '"';
}

void writeJsonNumber(std::ostream &out, double value) {
  if (!std::isfinite(value)) {
    out << "null";
    return;
  }
  char text[32];
  for (const int digits : {15, 17}) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  out << text;
}

} // namespace ipumodel
