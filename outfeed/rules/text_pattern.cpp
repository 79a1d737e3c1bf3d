#include "outfeed/rules/text_pattern.hpp"

#include "outfeed/rules/rule_error.hpp"

#include <cctype>
#include <cstddef>
#include <fnmatch.h>
#include <memory>
#include <re2/re2.h>

namespace popscope::outfeed {

namespace {

bool isGlob(const std::string &word) {
  const std::size_t open = word.find('[');
  return word.find_first_of("*?") != std::string::npos ||
         (open != std::string::npos &&
          word.find(']', open) != std::string::npos);
}

TextPattern glob(const std::string &pattern) {
  return [pattern](const std::string &text) {
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  };
}

std::string reasonOf(const RE2 &failed) {
  const std::string &culprit = failed.error_arg();
  const bool isBackreference =
      culprit.size() == 2 && culprit[0] == '\\' &&
      std::isdigit(static_cast<unsigned char>(culprit[1]));
  if (isBackreference || failed.error_code() == RE2::ErrorBadPerlOp)
    return "regular expressions have no backreferences, lookahead or "
           "lookbehind here; join several terms by '&' and '!' instead";
  const std::string &reason = failed.error(); // and the culprit, after a colon
  return "not a regular expression: " + reason.substr(0, reason.find(": "));
}

} // namespace

TextPattern wordOrGlob(const std::string &word) {
  if (isGlob(word))
    return glob(word);
  return [word](const std::string &text) { return text == word; };
}

TextPattern partOrGlob(const std::string &word) {
  if (isGlob(word))
    return glob(word);
  return [word](const std::string &text) {
    return text.find(word) != std::string::npos;
  };
}

TextPattern regularExpression(const std::string &expression) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  const auto compiled = std::make_shared<const RE2>(expression, options);
  if (!compiled->ok()) {
    const std::size_t culprit = expression.find(compiled->error_arg());
    throw RuleError(reasonOf(*compiled), expression,
                    culprit == std::string::npos ? 0 : culprit);
  }
  return [compiled](const std::string &text) {
    return RE2::PartialMatch(text, *compiled);
  };
}

} // namespace popscope::outfeed
