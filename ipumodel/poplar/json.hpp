// Reading and writing JSON (RFC 8259).
#pragma once

#include <poplar/ProfileValue.hpp>

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

namespace ipumodel {

// Walks over one document. Every function throws poplar::parse_error naming
// line and column if something else is there than it expects. The text must
// outlive the reader.
class JsonReader {
public:
  enum class Kind { string, number, boolean, null, array, object };

  explicit JsonReader(std::string_view text) : text_(text) {}

  // What comes next, without consuming it.
  Kind peek();
  std::string readString();      // as UTF-8
  std::string_view readNumber(); // as it is written
  bool readBoolean();

  // Calls readMember(key) with the reader in front of each value, which
  // readMember must consume.
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

  // Nothing but white space may be left.
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

// A whole document. null, which ProfileValue has no form for, is refused, and
// so is nesting of more than 1000 levels.
poplar::ProfileValue parseJson(std::string_view text);

// With quotes and escapes.
void writeJsonString(std::ostream &out, std::string_view text);
// The shortest form that reads back as the same double. JSON has no infinity
// and no NaN; they are written as null.
void writeJsonNumber(std::ostream &out, double value);

} // namespace ipumodel
