// What a filter can ask about a tensor: name, kind, numel and so on.
#pragma once

#include "outfeed/rules/tensor_traits.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::outfeed {

// Has a text or a number, never both.
struct TensorProperty {
  std::string name;
  std::string (*text)(const TensorTraits &) = nullptr;
  std::vector<std::string> values; // all that the text can be; empty: anything
  std::uint64_t (*number)(const TensorTraits &) = nullptr;
};

const std::vector<TensorProperty> &tensorProperties();
// Null if there is none of this name.
const TensorProperty *findProperty(std::string_view name);

} // namespace popscope::outfeed
