// The heat maps of a run as pictures for TensorBoard.
#pragma once

#include "host/report/tensor_history.hpp"
#include "summary/values/image.hpp"
#include "text/json_value.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace popscope::host {

struct HeatMapImage {
  std::string tag; // heat_maps/gradients and so on
  summary::Image image;
};

// Of gradients, activations and updates, as far as the event files of the run
// have them; each with the statistic that a report shows first.
std::vector<HeatMapImage> drawHeatMaps(const std::filesystem::path &run,
                                       const text::JsonValue &manifest);

} // namespace popscope::host
