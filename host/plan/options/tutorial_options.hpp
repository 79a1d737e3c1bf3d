// The options of Graphcore's tutorial on inspecting tensors, by the names it
// gave them. Only the preset that is that tutorial takes them.
#pragma once

#include <string>
#include <vector>

namespace popscope::host {

enum class ModelType { sequential, functional };

struct TutorialOptions {
  std::vector<std::string> given; // their names
  ModelType modelType = ModelType::sequential;
  bool noPipelining = false;
  bool useGradientAccumulation = false;
  bool outfeedPreAccumulatedGradients = false;
  // Parts of names; a single "none" stands for no filter.
  std::vector<std::string> gradientsFilters{"Dense_128"};
  std::vector<std::string> activationsFilters{"none"};
};

} // namespace popscope::host
