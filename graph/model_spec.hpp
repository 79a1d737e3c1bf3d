// A network as plain data: its layers in order and the pipeline stage of each.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace popscope::graph {

enum class Activation { none, relu, selu, softmax };

// A square kernel, stride one, no padding.
struct Conv {
  std::size_t filters = 0;
  std::size_t kernel = 3;
  Activation activation = Activation::relu;
};

// Windows do not overlap; rows and columns left over at the end are dropped.
struct MaxPool {
  std::size_t window = 2;
};

struct GlobalMaxPool {};

struct Flatten {};

struct Dropout {
  float rate = 0.5f;
};

struct Dense {
  std::size_t units = 0;
  Activation activation = Activation::none;
};

struct LayerSpec {
  std::string name;
  std::variant<Conv, MaxPool, GlobalMaxPool, Flatten, Dropout, Dense> kind;
  unsigned stage = 0; // at least that of the layer before
};

// The last layer is a Dense with softmax; the loss is the cross entropy of its
// probabilities with integer labels, averaged over the batch.
struct ModelSpec {
  std::string name;
  std::vector<std::size_t> input; // [height, width, channels] or [features]
  std::vector<LayerSpec> layers;
};

} // namespace popscope::graph
