#include "outfeed/checks/finding.hpp"

#include "text/json_object.hpp"

namespace popscope::outfeed {

const char *nameOf(CheckAction action) {
  switch (action) {
  case CheckAction::mark:
    return "mark";
  case CheckAction::sample:
    return "sample";
  case CheckAction::dump:
    return "dump";
  case CheckAction::stop:
    break;
  }
  return "stop";
}

std::string lineOf(const Finding &finding) {
  return finding.check + ": update " + std::to_string(finding.first.value()) +
         ", " + finding.tensor + ": " + finding.text;
}

std::string toJson(const Finding &finding) {
  text::JsonObject object;
  object.string("check", finding.check);
  object.string("tensor", finding.tensor);
  object.count("first_update", finding.first.value());
  object.count("last_update", finding.last.value());
  object.count("samples", finding.samples);
  object.number("value", finding.value);
  object.string("text", finding.text);
  return object.text();
}

} // namespace popscope::outfeed
