// Reading and writing JSON (RFC 8259).
#pragma once

#include <poplar/ProfileValue.hpp>

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace ipumodel {

// Reads one document from front to back. Every function throws
// poplar::parse_error with line and column if the text is not what it expects.
// The text must outlive the reader.
class JsonReader {
public:
  enum class Kind { string, number, boolean, null, array, object };

  explicit JsonReader(std::string_view text) : text_(text) {}

  // The kind of the next value, without consuming it.
  Kind peek();
  std::string readString();      // as UTF-8
  std::string_view readNumber(); // as it is written
  bool readBoolean();

  // Calls readMember(key) with the reader before each value, which readMember
  // must consume.
  template <class ReadMember> void readObject(ReadMember &&readMember) {
    expect('{');
    if (accept('}'))
      return;
    do {
      const std::string key = readString();
      expect(':');
      readMember(key);
    } while (accept(','));
    expect('}');
  }
  template <class ReadElement> void readArray(ReadElement &&readElement) {
    expect('[');
    if (accept(']'))
      return;
    do
      readElement();
    while (accept(','));
    expect(']');
  }

  // Throws unless only white space is left.
  void finish();
  [[noreturn]] void fail(const std::string &expected) const;

private:
  void skipSpace();
  bool accept(char c);
  void expect(char c);
  bool acceptWord(std::string_view word);
  void readDigits();
  void readEscape(std::string &text);
  unsigned readHex4();

  std::string_view text_;
  std::size_t position_ = 0;
};

// Parses a whole document. Refuses null, which ProfileValue cannot represent,
// and more than 1000 levels of nesting.
poplar::ProfileValue parseJson(std::string_view text);

// Adds quotes and escapes.
void writeJsonString(std::ostream &out, std::string_view text);
// The shortest text that reads back as the same double. JSON has neither
// infinity nor NaN; these become null.
void writeJsonNumber(std::ostream &out, double value);

} // namespace ipumodel
