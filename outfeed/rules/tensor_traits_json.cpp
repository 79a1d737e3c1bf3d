#include "outfeed/rules/tensor_traits_json.hpp"

#include "text/json_object.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <stdexcept>

namespace popscope::outfeed {

namespace {

using graph::Computation;
using graph::TapMoment;
using graph::TensorKind;

// Of graph::Computation, in its order.
constexpr const char *kComputations[] = {
    "unknown",     "host",         "product", "quotient", "logarithm",
    "exponential", "relu",         "selu",    "pooling",  "dropout",
    "softmax",     "crossEntropy", "sum",     "optimizer"};

Computation computationNamed(const std::string &name) {
  const auto found =
      std::find(std::begin(kComputations), std::end(kComputations), name);
  return found == std::end(kComputations)
             ? Computation::unknown
             : Computation(found - std::begin(kComputations));
}

template <class Enum>
Enum named(const std::string &name, std::initializer_list<Enum> values) {
  for (const Enum value : values)
    if (name == nameOf(value))
      return value;
  throw std::invalid_argument("[outfeed] no kind or moment of a tensor: '" +
                              name + "'");
}

} // namespace

std::string toJson(const TensorTraits &tensor) {
  text::JsonObject object;
  object.string("tensor", tensor.name);
  object.string("kind", nameOf(tensor.kind));
  object.string("at", nameOf(tensor.moment));
  object.count("stage", tensor.stage);
  object.string("type", tensor.dtype);
  object.add("shape", text::jsonArray(tensor.shape, [](std::size_t size) {
               return std::to_string(size);
             }));
  const Computation computation = tensor.derivation.computation;
  if (computation != Computation::unknown)
    object.string("computation", kComputations[std::size_t(computation)]);
  return object.text();
}

TensorTraits traitsOfJson(const text::JsonValue &json) {
  TensorTraits tensor;
  tensor.name = json["tensor"].stringOr("");
  tensor.kind = named(json["kind"].stringOr(""),
                      {TensorKind::input, TensorKind::preactivation,
                       TensorKind::activation, TensorKind::loss,
                       TensorKind::lossScale, TensorKind::activationGradient,
                       TensorKind::gradient, TensorKind::optimizerState,
                       TensorKind::update, TensorKind::weight});
  tensor.moment = named(json["at"].stringOr(""),
                        {TapMoment::microBatch, TapMoment::accumulated,
                         TapMoment::reduced, TapMoment::applied});
  tensor.stage = json["stage"].count32Or(0);
  tensor.dtype = json["type"].stringOr("float");
  tensor.derivation.computation =
      computationNamed(json["computation"].stringOr(""));
  tensor.numElements = 1;
  for (const text::JsonValue &size : json["shape"].items()) {
    tensor.shape.push_back(size.countOr(0));
    tensor.numElements *= tensor.shape.back();
  }
  return tensor;
}

} // namespace popscope::outfeed
