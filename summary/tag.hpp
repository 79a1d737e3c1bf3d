// The name of one series of values, checked on construction.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace popscope::summary {

// A non-empty UTF-8 name without control characters that does not start with
// '/'. The part before the first '/' is the group TensorBoard shows it in.
// Keep a Tag that is used often: checking and hashing happen on construction.
class Tag {
public:
  // Throws std::invalid_argument naming what is wrong with the name.
  explicit Tag(std::string_view name);

  // The nearest valid tag: removes leading slashes, replaces control characters
  // and invalid UTF-8 by '_', and turns an empty name into "_".
  static Tag sanitized(std::string_view name);

  const std::string &name() const { return name_; }
  std::uint64_t hash() const { return hash_; }

  // The tag `name/child`.
  Tag operator/(std::string_view child) const;

  friend bool operator==(const Tag &a, const Tag &b) {
    return a.hash_ == b.hash_ && a.name_ == b.name_;
  }
  friend bool operator!=(const Tag &a, const Tag &b) { return !(a == b); }

private:
  std::string name_;
  std::uint64_t hash_;
};

} // namespace popscope::summary
