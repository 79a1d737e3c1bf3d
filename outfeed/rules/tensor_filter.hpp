// Which tensors: a small language over the properties of a tensor.
//
//   Dense_128                            the name contains this
//   conv_[01]/kernel*                    the whole name matches this glob
//   kind:gradient & layer~"conv_[01]"    properties, joined by &, |, ! and ( )
//   numel>4096 and not name~bias         or by words
//
// A property is compared by : (equal to a word or matched by a glob) or ~ (an
// RE2 regular expression is found in it); stage and numel by : < <= > >=. What
// has blanks or signs in it is put in quotes. docs/inspecting.md is the whole
// reference.
#pragma once

#include "outfeed/rules/tensor_traits.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace popscope::outfeed {

class TensorFilter {
public:
  // Matches everything.
  TensorFilter();

  // Throws RuleError.
  static TensorFilter parse(std::string_view text);

  bool matches(const TensorTraits &tensor) const { return matches_(tensor); }
  // As it was written.
  const std::string &text() const { return text_; }

private:
  std::string text_;
  std::function<bool(const TensorTraits &)> matches_;
};

} // namespace popscope::outfeed
