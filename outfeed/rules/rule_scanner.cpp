#include "outfeed/rules/rule_scanner.hpp"

#include "outfeed/rules/rule_error.hpp"

#include <cctype>
#include <charconv>

namespace popscope::outfeed {

void RuleScanner::skipBlanks() {
  while (at_ < text_.size() &&
         std::isspace(static_cast<unsigned char>(text_[at_])))
    ++at_;
}

bool RuleScanner::atEnd() { return place() == text_.size(); }

std::size_t RuleScanner::place() {
  skipBlanks();
  return at_;
}

char RuleScanner::next() { return atEnd() ? '\0' : text_[at_]; }

bool RuleScanner::take(char c) {
  skipBlanks();
  return takeHere(c);
}

bool RuleScanner::takeHere(char c) {
  if (at_ == text_.size() || text_[at_] != c)
    return false;
  ++at_;
  return true;
}

bool RuleScanner::takeWord(std::string_view word) {
  const std::size_t begin = place();
  at_ += word.size();
  if (text_.substr(begin, word.size()) == word &&
      (at_ == text_.size() || endsWord(begin)))
    return true;
  at_ = begin;
  return false;
}

bool RuleScanner::takeSign(std::string_view sign) {
  if (text_.substr(place(), sign.size()) != sign)
    return false;
  at_ += sign.size();
  return true;
}

bool RuleScanner::endsWord(std::size_t begin) const {
  const char c = text_[at_];
  if (c == '!' && at_ > begin && text_[at_ - 1] == '[')
    return false; // a glob such as [!abc]
  return std::isspace(static_cast<unsigned char>(c)) ||
         std::string_view("&|!()~<>").find(c) != std::string_view::npos;
}

std::string RuleScanner::readWord(const std::string &expected) {
  if (next() == '"')
    return readQuoted();
  const std::size_t begin = at_;
  while (at_ < text_.size() && !endsWord(begin))
    ++at_;
  if (at_ == begin)
    failAt(begin, expected);
  return std::string(text_.substr(begin, at_ - begin));
}

std::string RuleScanner::readRun(bool (*belongs)(char),
                                 const std::string &expected) {
  const std::size_t begin = place();
  while (at_ < text_.size() && belongs(text_[at_]))
    ++at_;
  if (at_ == begin)
    failAt(begin, expected);
  return std::string(text_.substr(begin, at_ - begin));
}

std::string RuleScanner::readQuoted() {
  const std::size_t begin = at_ + 1;
  const std::size_t end = text_.find('"', begin);
  if (end == std::string_view::npos)
    failAt(at_, "this quote is not closed");
  at_ = end + 1;
  return std::string(text_.substr(begin, end - begin));
}

std::string RuleScanner::readPattern(const std::string &expected) {
  if (next() == '"')
    return readQuoted();
  const std::size_t begin = at_;
  for (int depth = 0; at_ < text_.size(); ++at_) {
    if (depth == 0 && text_[at_] != '(' && endsWord(begin))
      break;
    depth += (text_[at_] == '(') - (text_[at_] == ')');
  }
  if (at_ == begin)
    failAt(begin, expected);
  return std::string(text_.substr(begin, at_ - begin));
}

std::uint64_t RuleScanner::readNumber(std::uint64_t largest,
                                      const std::string &expected) {
  const std::size_t begin = place();
  while (at_ < text_.size() && text_[at_] != ',' && !endsWord(begin))
    ++at_;
  const std::string_view word = text_.substr(begin, at_ - begin);
  if (word.empty())
    failAt(begin, expected);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || error == std::errc::invalid_argument)
    failAt(begin, expected + ", not '" + std::string(word) + "'");
  if (error != std::errc() || value > largest)
    failAt(begin, "this number is too large; the largest is " +
                      std::to_string(largest));
  return value;
}

void RuleScanner::failAt(std::size_t place, const std::string &reason) const {
  throw RuleError(reason, text_, place);
}

} // namespace popscope::outfeed
