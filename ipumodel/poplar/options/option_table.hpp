// Tables of known options, and typed access to their values.
#pragma once

#include <poplar/OptionFlags.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ipumodel {

enum class OptionKind {
  boolean,         // true or false
  unsignedInteger, // decimal, or hexadecimal with 0x
  number,          // not negative, as in 300 or 2.5
  word,            // one of the words
  text             // anything
};

struct OptionSpec {
  std::string_view key;
  OptionKind kind;
  // Further values allowed besides those of the kind, as in "auto|none".
  std::string_view words = {};
};

class OptionTable {
public:
  template <std::size_t N>
  constexpr OptionTable( // NOLINT(google-explicit-constructor)
      const OptionSpec (&specs)[N])
      : begin_(specs), end_(specs + N) {}

  const OptionSpec *find(std::string_view key) const;
  const OptionSpec *begin() const { return begin_; }
  const OptionSpec *end() const { return end_; }

private:
  const OptionSpec *begin_;
  const OptionSpec *end_;
};

// Options whose keys and values have been checked.
class CheckedOptions {
public:
  // Throws invalid_option: for an unknown key ending in "Unrecognised option
  // '<key>'", for a bad value with the key, the value and the allowed values.
  // The table must outlive this object.
  CheckedOptions(const OptionTable &table, poplar::OptionFlags flags);

  const poplar::OptionFlags &flags() const { return flags_; }

  // Empty if the option is not set, or set to one of its words.
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::uint64_t> unsignedInteger(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;
  // Empty if the option is not set.
  std::optional<std::string> text(std::string_view key) const;
  // Index among the option's words; empty if it is not set to one of them.
  std::optional<std::size_t> word(std::string_view key) const;
  template <class Enum> Enum wordOr(std::string_view key, Enum unset) const {
    const auto index = word(key);
    return index ? Enum(*index) : unset;
  }

private:
  const OptionTable &table_;
  poplar::OptionFlags flags_;
};

// `flags` overridden by the JSON object in an environment variable. Throws
// parse_error.
poplar::OptionFlags overriddenBy(const char *variable,
                                 poplar::OptionFlags flags);

} // namespace ipumodel
