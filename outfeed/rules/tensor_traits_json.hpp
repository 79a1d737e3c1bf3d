// Tensors as JSON: what a finished run says of those it could have tapped.
#pragma once

#include "outfeed/rules/tensor_traits.hpp"
#include "text/json_value.hpp"

#include <string>

namespace popscope::outfeed {

// {"tensor": "conv_0_acts", "kind": "activation", "at": "microBatch",
//  "stage": 0, "type": "float", "shape": [32, 26, 26, 16],
//  "computation": "relu"}, on one line; without a computation if that is not
// known.
std::string toJson(const TensorTraits &tensor);
// Without the inputs of its derivation. Throws std::invalid_argument if it is
// none.
TensorTraits traitsOfJson(const text::JsonValue &json);

} // namespace popscope::outfeed
