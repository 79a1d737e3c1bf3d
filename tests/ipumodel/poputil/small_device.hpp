// A modelled device of few tiles, its graph, and access to a program's results.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <numeric>
#include <vector>

using Mapping = poplar::Graph::TileToTensorMapping;

struct SmallDevice {
  explicit SmallDevice(unsigned tilesPerIPU, unsigned numIPUs = 1)
      : device(makeDevice(tilesPerIPU, numIPUs)), graph(device) {}

  // Has the values 0, 1, 2, ... when the engine is loaded.
  poplar::Tensor counting(std::vector<std::size_t> shape) {
    const poplar::Tensor t = graph.addVariable(poplar::INT, shape);
    std::vector<int> values(t.numElements());
    std::iota(values.begin(), values.end(), 0);
    graph.setInitialValue(t, poplar::ArrayRef<int>(values));
    return t;
  }

  std::vector<int> valuesAfter(const poplar::program::Program &program,
                               const poplar::Tensor &t) {
    graph.createHostRead("result", t, true);
    poplar::Engine engine(graph, program);
    engine.load(device);
    engine.run(0);
    std::vector<int> values(t.numElements());
    engine.readTensor("result", values.data(), values.data() + values.size());
    return values;
  }

  poplar::Device device;
  poplar::Graph graph;

private:
  static poplar::Device makeDevice(unsigned tilesPerIPU, unsigned numIPUs) {
    poplar::IPUModel model;
    model.tilesPerIPU = tilesPerIPU;
    model.numIPUs = numIPUs;
    return model.createDevice();
  }
};

// Adds an entry for each tile, as Graph::getTileMapping does.
inline Mapping onTiles(std::size_t numTiles, Mapping mapping) {
  mapping.resize(numTiles);
  return mapping;
}
