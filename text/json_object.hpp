// JSON objects and arrays, on one line.
#pragma once

#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <cstdint>
#include <string>

namespace popscope::text {

class JsonObject {
public:
  void add(const std::string &key, const std::string &json) {
    text_ += (text_.empty() ? "{" : ", ") + jsonString(key) + ": " + json;
  }
  void string(const std::string &key, const std::string &value) {
    add(key, jsonString(value));
  }
  void number(const std::string &key, double value) {
    add(key, jsonNumber(value));
  }
  void count(const std::string &key, std::uint64_t value) {
    add(key, std::to_string(value));
  }
  std::string text() const { return text_.empty() ? "{}" : text_ + "}"; }

private:
  std::string text_;
};

template <class Range, class ToJson>
std::string jsonArray(const Range &range, ToJson toJson) {
  std::string text = "[";
  for (const auto &element : range)
    text += (text.size() > 1 ? ", " : "") + toJson(element);
  return text + "]";
}

} // namespace popscope::text
