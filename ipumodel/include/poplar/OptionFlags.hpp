// Named options as text, for engines, targets and operators.
#pragma once

#include <poplar/StringRef.hpp>

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <string>
#include <utility>

namespace poplar {

class ProfileValue;

// A map from option to value, iterated in the order of the keys. Keys and
// values are checked by the function that the options are passed to.
class OptionFlags {
public:
  using OptionFlag = std::pair<const std::string, std::string>;
  using initializer_list = std::initializer_list<OptionFlag>;
  using iterator = std::map<std::string, std::string>::const_iterator;

  OptionFlags() = default;
  OptionFlags(initializer_list flags);

  // Later values replace earlier ones.
  void set(initializer_list flags);
  void set(StringRef option, StringRef value);
  void clear();

  // Throws std::out_of_range if the option is not set.
  StringRef at(StringRef option) const;
  iterator find(StringRef option) const;
  std::size_t size() const;
  iterator begin() const;
  iterator end() const;

  bool operator==(const OptionFlags &other) const;
  bool operator!=(const OptionFlags &other) const;
  bool operator<(const OptionFlags &other) const;

private:
  std::map<std::string, std::string> flags_;
};

// {"key":"value",...}
std::ostream &operator<<(std::ostream &os, const OptionFlags &flags);

ProfileValue getAsProfileValue(const OptionFlags &flags);

// Sets an option for every member of a JSON object whose values are strings,
// numbers or booleans. Throws parse_error naming the position; `flags` is then
// unchanged.
void readJSON(StringRef text, OptionFlags &flags);
void readJSON(std::istream &stream, OptionFlags &flags);

// The same for the value of an environment variable; returns false if it is
// unset or empty.
bool readJSONFromEnv(StringRef name, OptionFlags &flags);

} // namespace poplar
