#include "outfeed/rules/rule_error.hpp"

#include "text/quoting.hpp"
#include "text/terminal.hpp"

#include <algorithm>

namespace popscope::outfeed {

namespace {

constexpr std::size_t kBefore = 40; // bytes shown on either side of the place
constexpr std::size_t kAfter = 30;
constexpr std::string_view kCut = "...";

// The nearest place at or before `at` where a character of UTF-8 begins.
std::size_t characterAt(std::string_view text, std::size_t at) {
  while (at > 0 && at < text.size() && (text[at] & 0xc0) == 0x80)
    --at;
  return at;
}

std::string marked(std::string_view text, std::size_t at) {
  const std::size_t begin =
      at > kBefore ? characterAt(text, at - kBefore) : std::size_t(0);
  const std::size_t end = characterAt(text, std::min(text.size(), at + kAfter));
  const std::string before = std::string(begin > 0 ? kCut : "") +
                             text::oneLine(text.substr(begin, at - begin));
  return "\n  " + before + text::oneLine(text.substr(at, end - at)) +
         std::string(end < text.size() ? kCut : "") + "\n  " +
         std::string(text::columnsOf(before), ' ') + "^";
}

} // namespace

RuleError::RuleError(const std::string &reason, std::string_view text,
                     std::size_t at)
    : std::invalid_argument("[outfeed] " + reason +
                            marked(text, std::min(at, text.size()))),
      reason_(reason), at_(at) {}

} // namespace popscope::outfeed
