// An optimiser as plain data; defaults and formulas are those of Keras.
#pragma once

#include <variant>

namespace popscope::graph {

struct Sgd {
  float momentum = 0.0f;
};

struct RmsProp {
  float rho = 0.9f;
  float epsilon = 1e-7f;
};

struct Adam {
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-7f;
};

struct OptimizerSpec {
  std::variant<Sgd, RmsProp, Adam> kind;
  float learningRate = 0.01f;
};

} // namespace popscope::graph
