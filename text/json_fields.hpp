// The members of a JSON object that a person wrote, each checked as it is read.
#pragma once

#include "text/json_value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace popscope::text {

// All functions throw std::invalid_argument that names the place, the key and
// what would work. A value without a fallback has to be there.
class JsonFields {
public:
  // `place` is what messages begin with, such as "layer conv_0"; it may be
  // empty. Refuses what is not an object, a key that is not among `keys`, and
  // one that is there twice. `value` must outlive this.
  JsonFields(const JsonValue &value, std::string place,
             const std::vector<std::string> &keys);

  bool has(const std::string &key) const;
  // True also for a key that is not there.
  bool isNull(const std::string &key) const { return value_[key].isNull(); }
  const JsonValue &operator[](const std::string &key) const {
    return value_[key];
  }

  std::string string(const std::string &key,
                     const std::optional<std::string> &fallback = {}) const;
  bool boolean(const std::string &key, bool fallback) const;
  std::uint64_t count(const std::string &key, std::uint64_t least,
                      std::uint64_t most,
                      const std::optional<std::uint64_t> &fallback = {}) const;
  // From `least` on and below `end`.
  float number(const std::string &key, float least, float end,
               float fallback) const;
  // The index of one of these words.
  unsigned word(const std::string &key, const std::vector<std::string> &words,
                const std::optional<unsigned> &fallback = {}) const;
  // Empty if it is not there.
  const JsonValue::Array &array(const std::string &key,
                                const std::string &example) const;

  [[noreturn]] void fail(const std::string &problem) const;
  [[noreturn]] void fail(const std::string &key,
                         const std::string &problem) const;

private:
  [[noreturn]] void failMissing(const std::string &key) const;

  const JsonValue &value_;
  std::string place_;
};

} // namespace popscope::text
