#include "summary/tag.hpp"

#include "summary/encoding/utf8.hpp"

#include <algorithm>
#include <stdexcept>

namespace popscope::summary {
namespace {

// FNV-1a.
std::uint64_t hashOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

bool isControl(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u < 0x20 || u == 0x7f;
}

[[noreturn]] void reject(std::string_view name, const char *why) {
  throw std::invalid_argument("[summary] tag \"" + Tag::sanitized(name).name() +
                              "\" " + why);
}

std::string_view checked(std::string_view name) {
  if (name.empty())
    throw std::invalid_argument("[summary] a tag must not be empty");
  if (name.front() == '/')
    reject(name, "must not begin with '/'");
  if (validUtf8Prefix(name) != name.size())
    reject(name, "must not contain bytes that are not UTF-8");
  for (const char c : name)
    if (isControl(c))
      reject(name, "must not contain control characters");
  return name;
}

} // namespace

Tag::Tag(std::string_view name) : name_(checked(name)), hash_(hashOf(name)) {}

Tag Tag::sanitized(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('/'), name.size()));
  std::string clean;
  while (!name.empty()) {
    const std::size_t valid = validUtf8Prefix(name);
    for (const char c : name.substr(0, valid))
      clean += isControl(c) ? '_' : c;
    name.remove_prefix(valid);
    if (!name.empty()) {
      clean += '_';
      name.remove_prefix(1);
    }
  }
  return Tag(clean.empty() ? "_" : clean);
}

Tag Tag::operator/(std::string_view child) const {
  return Tag(name_ + '/' + std::string(child));
}

} // namespace popscope::summary
