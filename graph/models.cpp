#include "graph/models.hpp"

namespace popscope::graph {

namespace {

constexpr std::size_t kClasses = 10;

LayerSpec classifier(const char *name, unsigned stage) {
  return {name, Dense{kClasses, Activation::softmax}, stage};
}

} // namespace

ModelSpec mlpModel(MlpLayers layers) {
  ModelSpec model{"mlp", {28, 28, 1}, {{"flatten", Flatten{}, 0}}};
  const bool all = layers == MlpLayers::all;
  if (all)
    model.layers.push_back({"Dense_256", Dense{256, Activation::relu}, 0});
  const unsigned stage = all ? 1 : 0;
  model.layers.push_back({"Dense_128", Dense{128, Activation::relu}, stage});
  model.layers.push_back(classifier("Dense_10", stage));
  return model;
}

OptimizerSpec mlpOptimizer() { return {Sgd{}, 0.01f}; }

ModelSpec cnnModel() {
  return {"cnn",
          {28, 28, 1},
          {{"conv_0", Conv{32, 3, Activation::relu}, 0},
           {"pool_0", MaxPool{2}, 0},
           {"conv_1", Conv{64, 3, Activation::relu}, 0},
           {"pool_1", MaxPool{2}, 0},
           {"conv_2", Conv{32, 3, Activation::relu}, 1},
           {"pool_2", MaxPool{2}, 1},
           {"flatten", Flatten{}, 1},
           {"dropout", Dropout{0.5f}, 1},
           classifier("dense", 1)}};
}

OptimizerSpec cnnOptimizer() { return {RmsProp{}, 0.001f}; }

ModelSpec gmpCnnModel() {
  return {"gmp-cnn",
          {28, 28, 1},
          {{"conv_0", Conv{16, 3, Activation::relu}, 0},
           {"conv_1", Conv{32, 3, Activation::relu}, 0},
           {"global_pool", GlobalMaxPool{}, 0},
           classifier("dense", 0)}};
}

OptimizerSpec gmpCnnOptimizer() { return {Adam{}, 0.001f}; }

ModelSpec fashionModel() {
  return {"fashion",
          {28, 28, 1},
          {{"flatten", Flatten{}, 0},
           {"dense_0", Dense{32, Activation::relu}, 0},
           classifier("dense_1", 0)}};
}

OptimizerSpec fashionOptimizer() { return {Adam{}, 0.001f}; }

ModelSpec digitsModel() {
  return {"digits",
          {64},
          {{"dense_0", Dense{100, Activation::selu}, 0},
           {"dense_1", Dense{100, Activation::selu}, 0},
           classifier("dense_2", 0)}};
}

OptimizerSpec digitsOptimizer() { return {Sgd{}, 0.05f}; }

} // namespace popscope::graph
