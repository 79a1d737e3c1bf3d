// Names of the non-linearities, as text and in vertex names.
#pragma once

#include <popnn/NonLinearityDef.hpp>
#include <poputil/VertexTemplates.hpp>

#include <istream>
#include <ostream>
#include <string>

namespace popnn {

const char *asString(const NonLinearityType &type);
std::ostream &operator<<(std::ostream &os, const NonLinearityType &type);
// Reads relu, sigmoid, hard_sigmoid, tanh, gelu, gelu_erf, swish, softmax,
// softmax_stable or softmax_scaled; else throws poplibs_error.
std::istream &operator>>(std::istream &in, NonLinearityType &type);

} // namespace popnn

namespace poputil {

template <> struct VertexTemplateToString<popnn::NonLinearityType> {
  static std::string to_string(const popnn::NonLinearityType &type);
};

} // namespace poputil
