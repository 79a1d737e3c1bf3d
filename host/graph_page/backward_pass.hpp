// Draws the gradients of a batch, from the loss back to the first weights.
#pragma once

#include "host/graph_page/forward_pass.hpp"

#include <string>
#include <vector>

namespace popscope::host {

struct DrawnGradient {
  DrawnWeight weight;
  std::string node;
};

// In the order in which they are computed.
std::vector<DrawnGradient> drawBackwardPass(const ForwardPass &forward,
                                            const Places &places,
                                            Drawing &drawing);

} // namespace popscope::host
