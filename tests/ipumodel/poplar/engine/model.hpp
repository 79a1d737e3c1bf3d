// A small model device, and helpers to fill and read tensors by name.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace enginetest {

inline poplar::Device modelDevice(unsigned tiles = 4, unsigned ipus = 1) {
  poplar::IPUModel model;
  model.tilesPerIPU = tiles;
  model.numIPUs = ipus;
  return model.createDevice();
}

// A graph on a model, with tensors that can be read and written by name.
struct Model {
  explicit Model(unsigned tiles = 4, unsigned ipus = 1, unsigned replicas = 1)
      : device(modelDevice(tiles, ipus)),
        graph(device, poplar::replication_factor(replicas)) {}

  poplar::Tensor add(const poplar::Type &type,
                     const std::vector<std::size_t> &shape,
                     const std::string &name) {
    const poplar::Tensor t = graph.addVariable(type, shape, name);
    graph.setTileMapping(t, 0);
    graph.createHostRead(name, t);
    graph.createHostWrite(name, t);
    return t;
  }

  poplar::Engine &load(const std::vector<poplar::program::Program> &programs,
                       const poplar::OptionFlags &options = {}) {
    engine = std::make_unique<poplar::Engine>(graph, programs, options);
    engine->load(device);
    return *engine;
  }
  poplar::Engine &load(const poplar::program::Program &program) {
    return load(std::vector<poplar::program::Program>{program});
  }

  template <class T>
  void write(const std::string &name, const std::vector<T> &values) {
    engine->writeTensor(name, values.data(), values.data() + values.size());
  }
  template <class T>
  std::vector<T> read(const std::string &name, std::size_t count) {
    std::vector<T> values(count);
    engine->readTensor(name, values.data(), values.data() + count);
    return values;
  }

  void addCodelets(const std::string &source) {
    std::stringstream stream(source);
    graph.addCodelets(stream, "-O2");
  }

  poplar::Device device;
  poplar::Graph graph;
  std::unique_ptr<poplar::Engine> engine;
};

template <class T> std::vector<T> iota(std::size_t count, T first = 0) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(first + static_cast<T>(i));
  return values;
}

} // namespace enginetest
