// The model on which operators are timed.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poputil/TileMapping.hpp>

#include <memory>
#include <random>
#include <vector>

namespace benchmarks {

// A graph being built, with random values for its inputs.
class Bench {
public:
  Bench() : graph(device_.getTarget()) {}

  poplar::Tensor filled(const poplar::Tensor &tensor, float least = 0,
                        float most = 1) {
    std::vector<float> values(tensor.numElements());
    for (float &value : values)
      value = std::uniform_real_distribution<float>(least, most)(random_);
    graph.setInitialValue(tensor.flatten(), poplar::ArrayRef<float>(values));
    return tensor;
  }
  poplar::Tensor matrix(std::size_t rows, std::size_t columns,
                        float least = 0) {
    const poplar::Tensor tensor =
        graph.addVariable(poplar::FLOAT, {rows, columns});
    poputil::mapTensorLinearly(graph, tensor);
    return filled(tensor, least);
  }
  // [n, channels, field, field], stored channels last.
  poplar::Tensor images(std::size_t n, std::size_t channels,
                        std::size_t field) {
    const poplar::Tensor tensor =
        graph.addVariable(poplar::FLOAT, {n, field, field, channels});
    poputil::mapTensorLinearly(graph, tensor);
    return filled(tensor).dimRoll(3, 1);
  }
  std::unique_ptr<poplar::Engine> compile() {
    auto engine = std::make_unique<poplar::Engine>(
        graph, std::vector<poplar::program::Program>{prog, before});
    engine->load(device_);
    engine->run(1);
    return engine;
  }

private:
  static poplar::Device makeDevice() {
    poplar::IPUModel model;
    model.tilesPerIPU = 64;
    model.memoryBytesPerTile = 64u << 20;
    return model.createDevice();
  }

  std::mt19937 random_{1};
  poplar::Device device_ = makeDevice();

public:
  poplar::Graph graph;
  poplar::program::Sequence prog;
  poplar::program::Sequence before; // runs once, not timed
};

} // namespace benchmarks
