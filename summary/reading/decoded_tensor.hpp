// Tensors read back from any writer's file.
#pragma once

#include "summary/values/tensor.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::summary {

// Numbers of any type as double; or strings.
struct DecodedTensor {
  Shape shape;
  std::vector<double> numbers;
  std::vector<std::string> strings;
};

// Decodes a serialised TensorProto. Empty if the bytes are not one, if the
// content does not match the shape, or if TensorBoard does not decode the type.
// Allocates no more than the bytes hold, except for a list of one element,
// which may stand for up to a million equal elements.
std::optional<DecodedTensor> decodeTensor(std::string_view bytes);

} // namespace popscope::summary
