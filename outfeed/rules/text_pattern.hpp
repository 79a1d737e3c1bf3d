// Words, globs and regular expressions that a text is held against.
#pragma once

#include <functional>
#include <string>

namespace popscope::outfeed {

// Takes time in proportion to the lengths of text and pattern, whatever the
// pattern.
using TextPattern = std::function<bool(const std::string &)>;

// The text is the word or, if that has the signs of a glob, matches it.
TextPattern wordOrGlob(const std::string &word);

// The text contains the word or, if that has the signs of a glob, matches it as
// a whole.
TextPattern partOrGlob(const std::string &word);

// RE2 finds the expression in the text. Throws RuleError, which points into the
// expression.
TextPattern regularExpression(const std::string &expression);

} // namespace popscope::outfeed
