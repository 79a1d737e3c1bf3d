#include "outfeed/tensor_traits.hpp"

namespace popscope::outfeed {

namespace {

std::string dtypeName(const poplar::Type &type) {
  return type == poplar::UNSIGNED_INT ? "unsigned"
                                      : std::string(type.toString());
}

} // namespace

const char *nameOf(graph::TensorKind kind) {
  using graph::TensorKind;
  switch (kind) {
  case TensorKind::input:
    return "input";
  case TensorKind::activation:
    return "activation";
  case TensorKind::gradient:
    return "gradient";
  case TensorKind::weight:
    return "weight";
  case TensorKind::update:
    return "update";
  case TensorKind::loss:
    break;
  }
  return "loss";
}

const char *nameOf(graph::TapMoment moment) {
  using graph::TapMoment;
  switch (moment) {
  case TapMoment::microBatch:
    return "microBatch";
  case TapMoment::accumulated:
    return "accumulated";
  case TapMoment::reduced:
    return "reduced";
  case TapMoment::applied:
    break;
  }
  return "applied";
}

std::string_view TensorTraits::layer() const {
  constexpr std::string_view kEnding = "_acts";
  const std::string_view whole = name;
  const std::size_t ending = whole.rfind(kEnding);
  const bool isLast = ending != std::string_view::npos &&
                      ending + kEnding.size() == whole.size();
  return whole.substr(0, isLast ? ending : whole.rfind('/'));
}

TensorTraits traitsOf(const graph::TapPoint &point) {
  return {point.name,
          point.kind,
          point.moment,
          point.stage,
          dtypeName(point.tensor.elementType()),
          point.tensor.shape(),
          point.tensor.numElements()};
}

std::string tagOf(const TensorTraits &tensor) {
  using graph::TapMoment;
  if (tensor.kind != graph::TensorKind::gradient)
    return tensor.name;
  return tensor.name + (tensor.moment == TapMoment::microBatch
                            ? "_per_micro_batch"
                        : tensor.moment == TapMoment::reduced ? "_reduced"
                                                              : "");
}

} // namespace popscope::outfeed
