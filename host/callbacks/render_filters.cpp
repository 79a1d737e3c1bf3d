#include "host/callbacks/render_filters.hpp"

#include "host/pictures/filter_grid.hpp"

#include <algorithm>
#include <stdexcept>

namespace popscope::host {

RenderFilters::RenderFilters(std::shared_ptr<summary::EventWriter> writer,
                             Stagger stagger, std::vector<std::string> layers)
    : StaggeredCallback(stagger, kWantsWeights), writer_(std::move(writer)),
      layers_(std::move(layers)) {}

void RenderFilters::dueEpochEnd(const EpochResult &result) {
  for (const std::string &layer : layers_) {
    const auto kernel = std::find_if(
        result.weights->begin(), result.weights->end(),
        [&](const WeightValues &w) { return w.name == layer + "/kernel"; });
    if (kernel == result.weights->end())
      throw std::invalid_argument("[host] layer " + layer + " has no kernel");
    const summary::Image picture = drawFilters(*kernel);
    writer_->image(summary::Tag(layer), summary::Step(result.epoch.index()),
                   picture.view());
  }
}

} // namespace popscope::host
