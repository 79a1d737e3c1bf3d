// The subset of CBOR (RFC 8949) that reports use: unsigned integers,
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

  // Writes the tag that marks a file as CBOR; must come first.
  void selfDescribe();
  void unsignedInteger(std::uint64_t value);
  void number(double value);
  void boolean(bool value);
  void text(std::string_view value);
  // Must be followed by `count` items, or pairs of items.
  void array(std::size_t count);
  void map(std::size_t count);

private:
  void head(unsigned majorType, std::uint64_t argument);

  std::ostream &out_;
};

// Reads one document from front to back. Every function throws
// std::runtime_error with the byte offset if the data are not what it expects.
// The document must outlive the reader.
class CborReader {
public:
  explicit CborReader(std::string_view document) : document_(document) {}

  void selfDescribe();
  std::uint64_t unsignedInteger();
  double number();
  bool boolean();
  std::string_view text();
  // The number of items, or pairs of items, that follow; at most the number of
  // bytes left, so that memory can be reserved for them.
  std::size_t array();
  std::size_t map();
  // Skips an item of any kind with its content.
  void skip();
  // Throws unless all bytes have been read.
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
