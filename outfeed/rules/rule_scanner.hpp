// Reads the text of a rule word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace popscope::outfeed {

// Blanks are skipped before everything but takeHere. A word ends at a blank or
// at one of & | ! ( ) ~ < >; in quotes it may have any of them.
class RuleScanner {
public:
  // The text must outlive the scanner.
  explicit RuleScanner(std::string_view text) : text_(text) {}

  bool atEnd();
  std::size_t place(); // of the next character that is not blank
  // The next character that is not blank, or 0 at the end.
  char next();
  void goBackTo(std::size_t place) { at_ = place; }

  // Whether it was there; if so it is skipped.
  bool take(char c);
  bool takeHere(char c); // not after blanks
  bool takeWord(std::string_view word);
  bool takeSign(std::string_view sign); // whatever follows it

  // These throw RuleError, with `expected` as its reason if there is no word.
  std::string readWord(const std::string &expected);
  // Characters that belong to it, whatever ends them.
  std::string readRun(bool (*belongs)(char), const std::string &expected);
  // A word that does not end within parentheses.
  std::string readPattern(const std::string &expected);
  // A whole number from 0 to `largest`; a comma ends it too.
  std::uint64_t readNumber(std::uint64_t largest, const std::string &expected);

  [[noreturn]] void failAt(std::size_t place, const std::string &reason) const;

private:
  void skipBlanks();
  bool endsWord(std::size_t begin) const;
  std::string readQuoted();

  const std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace popscope::outfeed
