#include "outfeed/compare/logged_tensor.hpp"

#include "text/json_object.hpp"
#include "text/json_value.hpp"

#include <limits>
#include <stdexcept>
#include <tuple>

namespace popscope::outfeed {

namespace {

bool isOfMicroBatch(const LoggedTensor &tensor) {
  return tensor.at == nameOf(graph::TapMoment::microBatch);
}

} // namespace

std::uint64_t LoggedTensor::elements() const {
  std::uint64_t product = 1;
  for (const std::size_t dimension : shape)
    product *= dimension;
  return product;
}

bool isBefore(const LoggedTensor &a, const LoggedTensor &b) {
  const auto key = [](const LoggedTensor &tensor) {
    const SampleOrigin origin = tensor.origin.value_or(SampleOrigin());
    return std::tuple(!isOfMicroBatch(tensor), origin.microBatch,
                      tensor.position, origin.replica);
  };
  return key(a) < key(b);
}

LoggedTensor loggedTensor(const Tap &tap, double lossScale) {
  LoggedTensor tensor;
  tensor.tag = tagOf(tap);
  tensor.kind = nameOf(tap.tensor.kind);
  tensor.at = nameOf(tap.tensor.moment);
  tensor.dtype = tap.tensor.dtype;
  tensor.shape = tap.tensor.shape;
  tensor.position = std::uint32_t(tap.id);
  tensor.origin = tap.origin;
  const bool isGradient =
      tap.tensor.kind == graph::TensorKind::gradient ||
      tap.tensor.kind == graph::TensorKind::activationGradient;
  if (isGradient && isOfMicroBatch(tensor))
    tensor.scale = lossScale;
  return tensor;
}

std::string toJson(const LoggedTensor &tensor) {
  text::JsonObject object;
  object.string("tensor", tensor.tag);
  object.string("kind", tensor.kind);
  object.string("at", tensor.at);
  object.string("dtype", tensor.dtype);
  object.add("shape", text::jsonArray(tensor.shape, [](std::size_t dimension) {
               return std::to_string(dimension);
             }));
  object.count("position", tensor.position);
  if (tensor.scale != 1)
    object.number("scale", tensor.scale);
  if (tensor.origin) {
    object.count("replica", tensor.origin->replica);
    object.count("micro_batch", tensor.origin->microBatch);
  }
  return object.text();
}

LoggedTensor parseLoggedTensor(std::string_view json) {
  const text::JsonValue object = text::parseJson(json);
  LoggedTensor tensor;
  tensor.tag = object["tensor"].stringOr("");
  if (tensor.tag.empty())
    throw std::invalid_argument("[outfeed] not a tensor of a sample log");
  tensor.kind = object["kind"].stringOr("");
  tensor.dtype = object["dtype"].stringOr("");
  for (const text::JsonValue &dimension : object["shape"].items())
    tensor.shape.push_back(dimension.countOr(0));
  tensor.position = object["position"].count32Or(0);
  tensor.at = object["at"].stringOr("");
  tensor.scale = object["scale"].numberOr(1);
  if (!object["replica"].isNull())
    tensor.origin = SampleOrigin{object["replica"].count32Or(0),
                                 object["micro_batch"].count32Or(0)};
  return tensor;
}

} // namespace popscope::outfeed
