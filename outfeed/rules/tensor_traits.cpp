#include "outfeed/rules/tensor_traits.hpp"

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
  case TensorKind::preactivation:
    return "preactivation";
  case TensorKind::activation:
    return "activation";
  case TensorKind::loss:
    return "loss";
  case TensorKind::lossScale:
    return "lossScale";
  case TensorKind::activationGradient:
    return "activationGradient";
  case TensorKind::gradient:
    return "gradient";
  case TensorKind::optimizerState:
    return "optimizerState";
  case TensorKind::update:
    return "update";
  case TensorKind::weight:
    break;
  }
  return "weight";
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
  const std::string_view whole = name;
  for (const std::string_view ending :
       {"_preacts", "_acts", "_preacts_grad", "_acts_grad"})
    if (whole.size() > ending.size() &&
        whole.substr(whole.size() - ending.size()) == ending)
      return whole.substr(0, whole.size() - ending.size());
  return whole.substr(0, whole.rfind('/'));
}

TensorTraits traitsOf(const graph::TapPoint &point) {
  return {point.name,
          point.kind,
          point.moment,
          point.stage,
          dtypeName(point.tensor.elementType()),
          point.tensor.shape(),
          point.tensor.numElements(),
          point.derivation,
          point.partOf};
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

std::string weightOf(const std::string &update) {
  constexpr std::string_view kEnding = "_update";
  if (update.size() < kEnding.size())
    return "";
  const std::size_t length = update.size() - kEnding.size();
  const bool ends = update.compare(length, kEnding.size(), kEnding) == 0;
  return ends ? update.substr(0, length) : "";
}

} // namespace popscope::outfeed
