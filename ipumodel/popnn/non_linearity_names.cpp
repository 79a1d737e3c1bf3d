#include <popnn/NonLinearityDefUtil.hpp>
#include <poputil/exceptions.hpp>

namespace popnn {

namespace {

struct Name {
  NonLinearityType type;
  const char *shown;
  const char *read;
  const char *enumerator;
};

constexpr Name kNames[] = {
    {NonLinearityType::SIGMOID, "sigmoid", "sigmoid", "SIGMOID"},
    {NonLinearityType::HARD_SIGMOID, "hard sigmoid", "hard_sigmoid",
     "HARD_SIGMOID"},
    {NonLinearityType::RELU, "relu", "relu", "RELU"},
    {NonLinearityType::TANH, "tanh", "tanh", "TANH"},
    {NonLinearityType::GELU, "gelu", "gelu", "GELU"},
    {NonLinearityType::GELU_ERF, "gelu_erf", "gelu_erf", "GELU_ERF"},
    {NonLinearityType::SWISH, "swish", "swish", "SWISH"},
    {NonLinearityType::SOFTMAX, "softmax", "softmax", nullptr},
    {NonLinearityType::SOFTMAX_STABLE, "softmax (stable)", "softmax_stable",
     nullptr},
    {NonLinearityType::SOFTMAX_SCALED, "softmax (scaled, stable)",
     "softmax_scaled", nullptr},
};

const Name &nameOf(NonLinearityType type) {
  for (const Name &name : kNames)
    if (name.type == type)
      return name;
  throw poputil::poplibs_error("Unsupported non-linearity type");
}

} // namespace

const char *asString(const NonLinearityType &type) {
  return nameOf(type).shown;
}

std::ostream &operator<<(std::ostream &os, const NonLinearityType &type) {
  return os << asString(type);
}

std::istream &operator>>(std::istream &in, NonLinearityType &type) {
  std::string token;
  in >> token;
  for (const Name &name : kNames)
    if (token == name.read) {
      type = name.type;
      return in;
    }
  throw poputil::poplibs_error("Unsupported non-linearity type '" + token +
                               "'");
}

} // namespace popnn

namespace poputil {

std::string VertexTemplateToString<popnn::NonLinearityType>::to_string(
    const popnn::NonLinearityType &type) {
  const char *enumerator = popnn::nameOf(type).enumerator;
  if (!enumerator)
    throw poplibs_error("Unsupported non-linearity type");
  return std::string("popnn::NonLinearityType::") + enumerator;
}

} // namespace poputil
