// What is wrong with a rule, and where.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace popscope::outfeed {

// what() is the reason and, in two more lines, the text with a ^ below the
// character `at`. Only the surroundings of that character are shown of a long
// text.
class RuleError : public std::invalid_argument {
public:
  RuleError(const std::string &reason, std::string_view text, std::size_t at);

  const std::string &reason() const { return reason_; }
  std::size_t at() const { return at_; }

private:
  std::string reason_;
  std::size_t at_;
};

} // namespace popscope::outfeed
