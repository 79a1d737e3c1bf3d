#include "poplar/options/option_table.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <locale>
#include <sstream>
#include <utility>

namespace ipumodel {
namespace {

std::optional<bool> parseBoolean(std::string_view value) {
  if (value == "true")
    return true;
  if (value == "false")
    return false;
  return std::nullopt;
}

std::optional<std::uint64_t> parseUnsigned(std::string_view value) {
  int base = 10;
  if (value.substr(0, 2) == "0x" || value.substr(0, 2) == "0X") {
    base = 16;
    value.remove_prefix(2);
  }
  std::uint64_t number = 0;
  const char *end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number, base);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  return number;
}

std::optional<double> parseNumber(const std::string &value) {
  if (value.empty() || value.find_first_not_of("0123456789.") != value.npos)
    return std::nullopt;
  std::istringstream text(value);
  text.imbue(std::locale::classic());
  double number = 0;
  if (!(text >> number) ||
      text.peek() != std::istringstream::traits_type::eof())
    return std::nullopt;
  return number;
}

std::optional<std::size_t> indexOfWord(std::string_view words,
                                       std::string_view value) {
  for (std::size_t index = 0; !words.empty(); ++index) {
    const auto bar = std::min(words.find('|'), words.size());
    if (words.substr(0, bar) == value)
      return index;
    words.remove_prefix(std::min(bar + 1, words.size()));
  }
  return std::nullopt;
}

bool isAllowed(const OptionSpec &spec, std::string_view value) {
  if (indexOfWord(spec.words, value))
    return true;
  switch (spec.kind) {
  case OptionKind::boolean:
    return parseBoolean(value).has_value();
  case OptionKind::unsignedInteger:
    return parseUnsigned(value).has_value();
  case OptionKind::number:
    return parseNumber(std::string(value)).has_value();
  case OptionKind::word:
    return false;
  case OptionKind::text:
    return true;
  }
  return false;
}

// "true, false or portable"
std::string allowedValues(const OptionSpec &spec) {
  std::string allowed;
  if (spec.kind == OptionKind::boolean)
    allowed = "true|false";
  else if (spec.kind == OptionKind::unsignedInteger)
    allowed = "an unsigned integer";
  else if (spec.kind == OptionKind::number)
    allowed = "a number that is not negative";
  if (!allowed.empty() && !spec.words.empty())
    allowed += '|';
  allowed += spec.words;
  if (const auto last = allowed.rfind('|'); last != allowed.npos)
    allowed.replace(last, 1, " or ");
  for (auto bar = allowed.find('|'); bar != allowed.npos;
       bar = allowed.find('|'))
    allowed.replace(bar, 1, ", ");
  return allowed;
}

[[noreturn]] void refuse(const OptionSpec &spec, const std::string &value) {
  throw poplar::invalid_option("option '" + std::string(spec.key) +
                               "' cannot be '" + value + "'; use " +
                               allowedValues(spec));
}

} // namespace

const OptionSpec *OptionTable::find(std::string_view key) const {
  const auto found = std::find_if(
      begin_, end_, [&](const OptionSpec &spec) { return spec.key == key; });
  return found == end_ ? nullptr : found;
}

CheckedOptions::CheckedOptions(const OptionTable &table,
                               poplar::OptionFlags flags)
    : table_(table), flags_(std::move(flags)) {
  for (const auto &[key, value] : flags_) {
    const OptionSpec *spec = table_.find(key);
    if (!spec)
      throw poplar::invalid_option("Unrecognised option '" + key + "'");
    if (!isAllowed(*spec, value))
      refuse(*spec, value);
  }
}

std::optional<std::string> CheckedOptions::text(std::string_view key) const {
  assert(table_.find(key) && "only options of the table can be set");
  const auto found = flags_.find({key.data(), key.size()});
  if (found == flags_.end())
    return std::nullopt;
  return found->second;
}

std::optional<bool> CheckedOptions::boolean(std::string_view key) const {
  const auto value = text(key);
  return value ? parseBoolean(*value) : std::nullopt;
}

std::optional<std::uint64_t>
CheckedOptions::unsignedInteger(std::string_view key) const {
  const auto value = text(key);
  return value ? parseUnsigned(*value) : std::nullopt;
}

std::optional<double> CheckedOptions::number(std::string_view key) const {
  const auto value = text(key);
  return value ? parseNumber(*value) : std::nullopt;
}

std::optional<std::size_t> CheckedOptions::word(std::string_view key) const {
  const auto value = text(key);
  return value ? indexOfWord(table_.find(key)->words, *value) : std::nullopt;
}

poplar::OptionFlags overriddenBy(const char *variable,
                                 poplar::OptionFlags flags) {
  poplar::readJSONFromEnv(variable, flags);
  return flags;
}

} // namespace ipumodel
