// A modelled device with a graph and one program, to test operators.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace operators {

using Shape = std::vector<std::size_t>;

inline float halfToFloat(std::uint16_t bits) {
  return poplar::IeeeHalf::fromBits(bits);
}

// 0, 1, 2, ...
template <class T = float> std::vector<T> counting(std::size_t n) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), T(0));
  return values;
}

class Bench {
public:
  explicit Bench(unsigned tiles = 4, unsigned replicas = 1)
      : device(makeDevice(tiles, replicas)),
        graph(device, poplar::replication_factor(replicas)) {
    popops::addCodelets(graph);
  }

  poplar::Tensor variable(const poplar::Type &type, const Shape &shape) {
    const poplar::Tensor t = graph.addVariable(type, shape);
    poputil::mapTensorLinearly(graph, t);
    return t;
  }

  // Has `values`, converted to its type, when the program starts.
  template <class T>
  poplar::Tensor tensor(const poplar::Type &type, const Shape &shape,
                        const std::vector<T> &values) {
    const poplar::Tensor t = variable(type, shape);
    if (!values.empty())
      graph.setInitialValue(t, poplar::ArrayRef<T>(values));
    return t;
  }
  poplar::Tensor floats(const Shape &shape, const std::vector<float> &values) {
    return tensor(poplar::FLOAT, shape, values);
  }
  poplar::Tensor halves(const Shape &shape, const std::vector<float> &values) {
    return tensor(poplar::HALF, shape, values);
  }
  poplar::Tensor ints(const Shape &shape, const std::vector<int> &values) {
    return tensor(poplar::INT, shape, values);
  }

  // Runs the program, several times if requested; afterwards use read().
  void run(unsigned times = 1) {
    engine = std::make_unique<poplar::Engine>(graph, prog);
    engine->load(device);
    for (unsigned i = 0; i < times; ++i)
      engine->run(0);
  }

  // Makes the elements readable in device representation; call before run().
  std::string watch(const poplar::Tensor &t) {
    const std::string name = "read" + std::to_string(numReads++);
    graph.createHostRead(name, t, true);
    return name;
  }
  template <class T>
  std::vector<T> read(const std::string &name, std::size_t n) {
    // Not std::vector<bool>, whose elements have no address.
    std::vector<T> values(n);
    if (n != 0)
      engine->readTensor(name, values.data(), values.data() + n);
    return values;
  }

  // Runs the program and returns one tensor.
  template <class T> std::vector<T> result(const poplar::Tensor &t) {
    const std::string name = watch(t);
    run();
    return read<T>(name, t.numElements());
  }
  std::vector<float> floatsOf(const poplar::Tensor &t) {
    if (t.elementType() != poplar::HALF)
      return result<float>(t);
    std::vector<float> values;
    for (const std::uint16_t half : result<std::uint16_t>(t))
      values.push_back(halfToFloat(half));
    return values;
  }

  poplar::Device device;
  poplar::Graph graph;
  poplar::program::Sequence prog;
  std::unique_ptr<poplar::Engine> engine;
  unsigned numReads = 0;

private:
  static poplar::Device makeDevice(unsigned tiles, unsigned ipus) {
    poplar::IPUModel model;
    model.tilesPerIPU = tiles;
    model.numIPUs = ipus;
    return model.createDevice();
  }
};

} // namespace operators
