// Draws an optimiser and the state it keeps for each weight.
#pragma once

#include "graph/optimizers/optimizer_spec.hpp"
#include "host/graph_page/backward_pass.hpp"

#include <string>
#include <vector>

namespace popscope::host {

class OptimizerDrawing {
public:
  // Draws the learning rate, which the host sets, on the first stage.
  OptimizerDrawing(const graph::OptimizerSpec &spec, const Places &places,
                   Drawing &drawing);

  // Draws the change of a weight, which happens after the node `ready`.
  void drawUpdate(const DrawnGradient &gradient, const std::string &ready);

private:
  std::string drawStepSize(const std::string &learningRate);
  Place placeOf(unsigned stage) const;

  const graph::OptimizerSpec &spec_;
  const Places &places_;
  Drawing &drawing_;
  std::vector<std::string> stepSizes_; // by stage
};

} // namespace popscope::host
