#include "outfeed/rules/tensor_property.hpp"

#include <algorithm>
#include <initializer_list>

namespace popscope::outfeed {

namespace {

using graph::TapMoment;
using graph::TensorKind;

template <class Enum>
std::vector<std::string> namesOf(std::initializer_list<Enum> values) {
  std::vector<std::string> names;
  for (const Enum value : values)
    names.emplace_back(nameOf(value));
  return names;
}

std::vector<TensorProperty> makeProperties() {
  return {{"name", [](const TensorTraits &t) { return t.name; }, {}},
          {"layer",
           [](const TensorTraits &t) { return std::string(t.layer()); },
           {}},
          {"kind",
           [](const TensorTraits &t) { return std::string(nameOf(t.kind)); },
           namesOf({TensorKind::input, TensorKind::preactivation,
                    TensorKind::activation, TensorKind::loss,
                    TensorKind::lossScale, TensorKind::activationGradient,
                    TensorKind::gradient, TensorKind::optimizerState,
                    TensorKind::update, TensorKind::weight})},
          {"at",
           [](const TensorTraits &t) { return std::string(nameOf(t.moment)); },
           namesOf({TapMoment::microBatch, TapMoment::accumulated,
                    TapMoment::reduced, TapMoment::applied})},
          {"dtype",
           [](const TensorTraits &t) { return t.dtype; },
           {"float", "half", "int", "unsigned"}},
          {"stage",
           nullptr,
           {},
           [](const TensorTraits &t) { return std::uint64_t(t.stage); }},
          {"numel", nullptr, {}, [](const TensorTraits &t) {
             return std::uint64_t(t.numElements);
           }}};
}

} // namespace

const std::vector<TensorProperty> &tensorProperties() {
  static const std::vector<TensorProperty> properties = makeProperties();
  return properties;
}

const TensorProperty *findProperty(std::string_view name) {
  const auto &all = tensorProperties();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const TensorProperty &property) {
        return property.name == name;
      });
  return found == all.end() ? nullptr : &*found;
}

} // namespace popscope::outfeed
