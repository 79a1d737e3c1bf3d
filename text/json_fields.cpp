#include "text/json_fields.hpp"

#include "text/nearest_names.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace popscope::text {

namespace {

constexpr std::size_t kMostShown = 40; // characters of a wrong word

std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string shown(const std::string &word) {
  return jsonString(
      word.size() > kMostShown ? word.substr(0, kMostShown) + "..." : word);
}

// The comparison takes the product of both lengths.
std::string choices(const std::string &word,
                    const std::vector<std::string> &names) {
  const std::string near = similarName(word.substr(0, kMostShown), names);
  return (near.empty()
              ? "; there are "
              : "; did you mean " + jsonString(near) + "? There are ") +
         joined(names);
}

} // namespace

JsonFields::JsonFields(const JsonValue &value, std::string place,
                       const std::vector<std::string> &keys)
    : value_(value), place_(std::move(place)) {
  if (!value.isObject())
    fail("has to be an object: {" + jsonString(keys.front()) + ": ...}");
  std::set<std::string> seen;
  for (const auto &[key, member] : value.members()) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      fail("no key " + shown(key) + choices(key, keys));
    if (!seen.insert(key).second)
      fail(key, "is there twice; leave one out");
  }
}

bool JsonFields::has(const std::string &key) const {
  const auto &members = value_.members();
  return std::any_of(members.begin(), members.end(),
                     [&](const auto &member) { return member.first == key; });
}

std::string
JsonFields::string(const std::string &key,
                   const std::optional<std::string> &fallback) const {
  if (!has(key)) {
    if (!fallback)
      failMissing(key);
    return *fallback;
  }
  const std::string text = value_[key].stringOr("");
  if (text.empty())
    fail(key, "has to be a text in quotes");
  return text;
}

bool JsonFields::boolean(const std::string &key, bool fallback) const {
  if (!has(key))
    return fallback;
  const JsonValue &value = value_[key];
  if (value.boolOr(false) != value.boolOr(true))
    fail(key, "has to be true or false, without quotes");
  return value.boolOr(false);
}

std::uint64_t
JsonFields::count(const std::string &key, std::uint64_t least,
                  std::uint64_t most,
                  const std::optional<std::uint64_t> &fallback) const {
  if (!has(key)) {
    if (!fallback)
      failMissing(key);
    return *fallback;
  }
  constexpr auto kNone = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t count = value_[key].countOr(kNone, most);
  if (count == kNone || count < least)
    fail(key, "has to be a whole number from " + std::to_string(least) +
                  " to " + std::to_string(most));
  return count;
}

float JsonFields::number(const std::string &key, float least, float end,
                         float fallback) const {
  if (!has(key))
    return fallback;
  constexpr auto kNone = std::numeric_limits<float>::quiet_NaN();
  const double given = value_[key].numberOr(kNone);
  const float number =
      std::abs(given) <= double(std::numeric_limits<float>::max())
          ? float(given)
          : kNone;
  if (!(number >= least && number < end))
    fail(key, "has to be a number of at least " + shortestDecimal(least) +
                  " and less than " + shortestDecimal(end));
  return number;
}

unsigned JsonFields::word(const std::string &key,
                          const std::vector<std::string> &words,
                          const std::optional<unsigned> &fallback) const {
  if (!has(key)) {
    if (!fallback)
      failMissing(key);
    return *fallback;
  }
  const std::string word = value_[key].stringOr("");
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end())
    return unsigned(found - words.begin());
  if (word.empty())
    fail(key, "has to be one of these words: " + joined(words));
  fail(key, "no " + shown(word) + choices(word, words));
}

const JsonValue::Array &JsonFields::array(const std::string &key,
                                          const std::string &example) const {
  const JsonValue &value = value_[key];
  if (has(key) && !value.isArray())
    fail(key, "has to be a list such as " + example);
  return value.items();
}

void JsonFields::fail(const std::string &problem) const {
  throw std::invalid_argument((place_.empty() ? "" : place_ + ": ") + problem);
}

void JsonFields::fail(const std::string &key,
                      const std::string &problem) const {
  fail(jsonString(key) + ": " + problem);
}

void JsonFields::failMissing(const std::string &key) const {
  fail("the key " + jsonString(key) + " is missing");
}

} // namespace popscope::text
