#include "poplar/base/json.hpp"

#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>

#include <cstdlib>
#include <istream>
#include <iterator>
#include <ostream>

namespace poplar {

OptionFlags::OptionFlags(initializer_list flags) { set(flags); }

void OptionFlags::set(initializer_list flags) {
  for (const OptionFlag &flag : flags)
    flags_[flag.first] = flag.second;
}

void OptionFlags::set(StringRef option, StringRef value) {
  flags_[option] = value.cloneAsString();
}

void OptionFlags::clear() { flags_.clear(); }

StringRef OptionFlags::at(StringRef option) const {
  const auto found = find(option);
  if (found == end())
    throw std::out_of_range("option '" + option + "' is not set");
  return found->second;
}

OptionFlags::iterator OptionFlags::find(StringRef option) const {
  return flags_.find(option);
}

std::size_t OptionFlags::size() const { return flags_.size(); }

OptionFlags::iterator OptionFlags::begin() const { return flags_.begin(); }

OptionFlags::iterator OptionFlags::end() const { return flags_.end(); }

bool OptionFlags::operator==(const OptionFlags &other) const {
  return flags_ == other.flags_;
}

bool OptionFlags::operator!=(const OptionFlags &other) const {
  return flags_ != other.flags_;
}

bool OptionFlags::operator<(const OptionFlags &other) const {
  return flags_ < other.flags_;
}

std::ostream &operator<<(std::ostream &os, const OptionFlags &flags) {
  return os << getAsProfileValue(flags);
}

ProfileValue getAsProfileValue(const OptionFlags &flags) {
  return ProfileValue::Map(flags.begin(), flags.end());
}

void readJSON(StringRef text, OptionFlags &flags) {
  using Kind = ipumodel::JsonReader::Kind;
  ipumodel::JsonReader reader({text.data(), text.size()});
  OptionFlags merged = flags;
  reader.readObject([&](const std::string &key) {
    switch (reader.peek()) {
    case Kind::string:
      return merged.set(key, reader.readString());
    case Kind::number: {
      const auto number = reader.readNumber();
      return merged.set(key, StringRef(number.data(), number.size()));
    }
    case Kind::boolean:
      return merged.set(key, reader.readBoolean() ? "true" : "false");
    default:
      reader.fail("a string, a number or a boolean for option '" + key + "'");
    }
  });
  reader.finish();
  flags = std::move(merged);
}

void readJSON(std::istream &stream, OptionFlags &flags) {
  readJSON(std::string(std::istreambuf_iterator<char>(stream), {}), flags);
}

bool readJSONFromEnv(StringRef name, OptionFlags &flags) {
  const char *text = std::getenv(name.cloneAsString().c_str());
  if (!text || !*text)
    return false;
  try {
    readJSON(text, flags);
  } catch (const parse_error &error) {
    throw parse_error("environment variable " + name + ": " + error.what());
  }
  return true;
}

} // namespace poplar
