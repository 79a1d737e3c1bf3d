#include "host/graph_page/layer_graph.hpp"

#include "host/graph_page/overloaded.hpp"

#include <variant>

namespace popscope::host {

summary::LayerGraph describeLayers(const graph::ModelSpec &model) {
  summary::LayerGraph page;
  page.name = model.name;
  const auto kindOf = Overloaded{
      [](const graph::Conv &) { return "Conv2D"; },
      [](const graph::Dense &) { return "Dense"; },
      [](const graph::MaxPool &) { return "MaxPooling2D"; },
      [](const graph::GlobalMaxPool &) { return "GlobalMaxPooling2D"; },
      [](const graph::Flatten &) { return "Flatten"; },
      [](const graph::Dropout &) { return "Dropout"; }};
  for (const graph::LayerSpec &layer : model.layers)
    page.layers.push_back({layer.name, std::visit(kindOf, layer.kind), {}});
  return page;
}

} // namespace popscope::host
