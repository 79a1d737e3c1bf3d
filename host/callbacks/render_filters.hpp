// Pictures of the kernels of named convolutions.
#pragma once

#include "host/callbacks/callback.hpp"
#include "summary/event_writer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace popscope::host {

// The tag is the name of the layer.
class RenderFilters : public StaggeredCallback {
public:
  RenderFilters(std::shared_ptr<summary::EventWriter> writer, Stagger stagger,
                std::vector<std::string> layers);

  std::string name() const override { return "render filters"; }

protected:
  // Throws std::invalid_argument if a layer is not a convolution.
  void dueEpochEnd(const EpochResult &result) override;

private:
  const std::shared_ptr<summary::EventWriter> writer_;
  const std::vector<std::string> layers_;
};

} // namespace popscope::host
