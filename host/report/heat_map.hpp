// Which heat maps there are, and which tensors are their rows.
#pragma once

#include "host/report/tensor_history.hpp"
#include "text/json_value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

struct HeatMap {
  std::string id;
  std::string title;
  std::vector<graph::TensorKind> kinds;
  // The one it shows is the first of these that is recorded; then others may
  // be chosen.
  std::vector<std::string> statistics;
  // Of popscope train: records it. Empty for a map that is left out if nothing
  // is.
  std::string option;

  bool hasKind(graph::TensorKind kind) const;
};

// Gradients, activations and updates first.
const std::vector<HeatMap> &heatMaps();

struct HeatMapRow {
  std::string label;
  std::size_t tensor; // its place
};

// In the order of the model's layers, as popscope.json lists them. Of a
// gradient that is complete several times, the last one that is recorded.
std::vector<HeatMapRow> rowsOf(const HeatMap &map,
                               const std::vector<TensorHistory> &tensors,
                               const text::JsonValue &manifest);

// The first of the map's statistics that any cell of the rows has.
std::optional<std::size_t>
statisticOf(const HeatMap &map, const std::vector<HeatMapRow> &rows,
            const std::vector<TensorHistory> &tensors);

} // namespace popscope::host
