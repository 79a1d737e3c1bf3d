// A read-only view of characters, for passing text.
#pragma once

#include <poplar/ArrayRef.hpp>

#include <cstddef>
#include <iosfwd>
#include <string>

namespace poplar {

// Does not own the characters, which need not end in a zero.
struct StringRef : ArrayRef<char> {
  constexpr StringRef() = default;
  StringRef(std::nullptr_t) = delete;
  StringRef(const std::string &text) : ArrayRef(text.data(), text.size()) {}
  constexpr StringRef(const char *text)
      : ArrayRef(text, __builtin_strlen(text)) {}
  constexpr StringRef(const char *text, std::size_t size)
      : ArrayRef(text, size) {}

  std::string cloneAsString() const { return std::string(begin(), end()); }
  operator std::string() const { return cloneAsString(); }
};

bool operator==(StringRef a, StringRef b);
bool operator!=(StringRef a, StringRef b);
bool operator<(StringRef a, StringRef b);
std::string operator+(StringRef a, StringRef b);
std::string &operator+=(std::string &text, StringRef tail);
std::ostream &operator<<(std::ostream &os, const StringRef &text);

} // namespace poplar
