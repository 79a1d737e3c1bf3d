#include <poplar/StringRef.hpp>

#include <ostream>
#include <string_view>

namespace poplar {
namespace {

std::string_view view(StringRef text) { return {text.data(), text.size()}; }

} // namespace

bool operator==(StringRef a, StringRef b) { return view(a) == view(b); }

bool operator!=(StringRef a, StringRef b) { return view(a) != view(b); }

bool operator<(StringRef a, StringRef b) { return view(a) < view(b); }

std::string operator+(StringRef a, StringRef b) {
  std::string joined;
  joined.reserve(a.size() + b.size());
  joined += a;
  joined += b;
  return joined;
}

std::string &operator+=(std::string &text, StringRef tail) {
  return text.append(tail.data(), tail.size());
}

std::ostream &operator<<(std::ostream &os, const StringRef &text) {
  return os << view(text);
}

} // namespace poplar
