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

// A serialised TensorProto. Empty if it is none, if its content does not match
// its shape, or if its type is not among those TensorBoard decodes. Nothing is
// allocated that the bytes do not hold, but for lists of one, which stand for
// up to a million equal elements.
std::optional<DecodedTensor> decodeTensor(std::string_view bytes);

} // namespace popscope::summary
