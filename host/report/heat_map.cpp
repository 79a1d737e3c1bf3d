#include "host/report/heat_map.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace popscope::host {

namespace {

using graph::TapMoment;
using graph::TensorKind;

// "conv_0/kernel:0_grad" is conv_0/kernel, "conv_0_acts" conv_0.
std::string labelOf(const TensorHistory &history) {
  const std::string &name = history.tensor.name;
  std::string label = name;
  for (const std::string_view ending :
       {"_update", "_grad", "_preacts", "_acts", ":0"})
    if (label.size() > ending.size() &&
        std::string_view(label).substr(label.size() - ending.size()) == ending)
      label.resize(label.size() - ending.size());
  // What the tag has beyond the name: the moment, the replica.
  if (history.tag.compare(0, name.size(), name) == 0)
    label += history.tag.substr(name.size());
  return label;
}

std::size_t layerPlace(const outfeed::TensorTraits &tensor,
                       const text::JsonValue &manifest) {
  if (tensor.kind == TensorKind::input)
    return 0;
  const auto &layers = manifest["layers"].items();
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (layers[i]["name"].stringOr("") == tensor.layer())
      return i + 1;
  return std::numeric_limits<std::size_t>::max();
}

} // namespace

bool HeatMap::hasKind(TensorKind kind) const {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

const std::vector<HeatMap> &heatMaps() {
  static const std::vector<HeatMap> maps = {
      {"gradients",
       "Gradients of weights",
       {TensorKind::gradient},
       {"l2_norm", "abs_max", "std", "zero_share"},
       "--tap 'kind:gradient & at:accumulated -> shape'"},
      {"activations",
       "Activations",
       {TensorKind::input, TensorKind::activation},
       {"std", "abs_max", "mean", "zero_share", "l2_norm", "saturated_share"},
       "--tap 'kind:activation -> shape'"},
      {"updates",
       "Updates relative to weights",
       {TensorKind::update},
       {"ratio_to_weight", "l2_norm", "abs_max"},
       "--tap 'kind:update | kind:weight -> shape'"},
      {"activation_gradients",
       "Gradients of activations",
       {TensorKind::activationGradient},
       {"l2_norm", "abs_max", "std", "zero_share"},
       ""},
      {"preactivations",
       "Pre-activations",
       {TensorKind::preactivation},
       {"std", "abs_max", "mean", "l2_norm"},
       ""},
      {"weights",
       "Weights",
       {TensorKind::weight},
       {"l2_norm", "abs_max", "std", "mean"},
       ""}};
  return maps;
}

std::vector<HeatMapRow> rowsOf(const HeatMap &map,
                               const std::vector<TensorHistory> &tensors,
                               const text::JsonValue &manifest) {
  std::map<std::string, TapMoment> latest; // of a gradient
  for (const TensorHistory &history : tensors) {
    TapMoment &moment =
        latest.emplace(history.tensor.name, history.tensor.moment)
            .first->second;
    moment = std::max(moment, history.tensor.moment);
  }
  std::vector<HeatMapRow> rows;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (map.hasKind(tensors[i].tensor.kind) &&
        (tensors[i].tensor.kind != TensorKind::gradient ||
         tensors[i].tensor.moment == latest[tensors[i].tensor.name]))
      rows.push_back({labelOf(tensors[i]), i});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const HeatMapRow &a, const HeatMapRow &b) {
                     return layerPlace(tensors[a.tensor].tensor, manifest) <
                            layerPlace(tensors[b.tensor].tensor, manifest);
                   });
  return rows;
}

std::optional<std::size_t>
statisticOf(const HeatMap &map, const std::vector<HeatMapRow> &rows,
            const std::vector<TensorHistory> &tensors) {
  for (const std::string &name : map.statistics)
    for (const HeatMapRow &row : rows)
      for (const auto &[column, cell] : tensors[row.tensor].cells)
        if (cell.sample[name])
          return placeOfStatistic(name);
  return std::nullopt;
}

} // namespace popscope::host
