// The part of CBOR (RFC 8949) that reports are stored in: unsigned integers,
// double-precision numbers, booleans, text, arrays and maps of known length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace ipumodel {

class CborWriter {
public:
  explicit CborWriter(std::ostream &out) : out_(out) {}

  // The tag that marks a file as CBOR; comes first.
  void selfDescribe();
  void unsignedInteger(std::uint64_t value);
  void number(double value);
  void boolean(bool value);
  void text(std::string_view value);
  // `count` items, or pairs of items, have to follow.
  void array(std::size_t count);
  void map(std::size_t count);

private:
  void head(unsigned majorType, std::uint64_t argument);

  std::ostream &out_;
};

// Walks over one document. Every function throws std::runtime_error naming the
// byte if something else is there than it expects. The document must outlive
// the reader.
class CborReader {
public:
  explicit CborReader(std::string_view document) : document_(document) {}

  void selfDescribe();
  std::uint64_t unsignedInteger();
  double number();
  bool boolean();
  std::string_view text();
  // How many items, or pairs of items, follow; never more than there are bytes
  // left, so that memory can be reserved for them.
  std::size_t array();
  std::size_t map();
  // An item of any kind with all it contains.
  void skip();
  // Nothing may be left.
  void finish();
  [[noreturn]] void fail(const std::string &problem) const;

private:
  struct Head {
    unsigned majorType;
    unsigned info; // the length of the argument, or a simple value
    std::uint64_t argument;
  };
  Head head();
  std::uint64_t expect(unsigned majorType, const char *what);
  std::size_t countOf(std::uint64_t argument) const;
  std::string_view take(std::uint64_t bytes);

  std::string_view document_;
  std::size_t position_ = 0;
};

} // namespace ipumodel
