// The weights of one layer, read from the device.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::host {

struct WeightValues {
  std::string name;               // <layer>/kernel, <layer>/bias
  std::vector<std::size_t> shape; // in Keras' order
  std::vector<float> values;
};

} // namespace popscope::host
