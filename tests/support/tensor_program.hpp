// Runs a program on one tensor that is spread over several tiles.
#pragma once

#include "graph/codelets.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <cstddef>
#include <functional>
#include <random>
#include <vector>

namespace popscope::tests {

// The tiles of consecutive pieces of elements, and the ends of these pieces.
struct Placement {
  std::vector<std::size_t> ends;
  std::vector<unsigned> tiles;
};

inline Placement evenly(std::size_t elements, unsigned tiles) {
  Placement placement;
  for (unsigned t = 0; t < tiles; ++t) {
    placement.ends.push_back(elements * (t + 1) / tiles);
    placement.tiles.push_back(t);
  }
  return placement;
}

// Pieces of any size on tiles in any order.
inline Placement anyhow(std::size_t elements, unsigned tiles, unsigned seed) {
  std::mt19937 random(seed);
  Placement placement;
  for (std::size_t end = 0; end < elements;) {
    end = std::min(elements, end + 1 + random() % (2 * elements / tiles + 1));
    placement.ends.push_back(end);
    placement.tiles.push_back(random() % tiles);
  }
  return placement;
}

// Appends to the program what reads the tensor; returns the tensor to read
// back.
using Builder = std::function<poplar::Tensor(
    poplar::Graph &, const poplar::Tensor &, poplar::program::Sequence &)>;

// `bytes` are the elements in the host's form of `type`: halves as bit
// patterns.
template <class Element>
std::vector<unsigned>
runOn(const std::vector<Element> &elements, const poplar::Type &type,
      const Placement &placement, const Builder &builder) {
  poplar::IPUModel model;
  model.tilesPerIPU = 64;
  poplar::Device device = model.createDevice();
  poplar::Graph graph(device.getTarget());
  graph::addCodelets(graph);
  const poplar::Tensor tensor =
      graph.addVariable(type, {elements.size()}, "tensor");
  std::size_t begin = 0;
  for (std::size_t p = 0; p < placement.ends.size(); ++p) {
    graph.setTileMapping(tensor.slice(begin, placement.ends[p]),
                         placement.tiles[p]);
    begin = placement.ends[p];
  }
  poplar::program::Sequence prog;
  const poplar::Tensor result = builder(graph, tensor, prog);
  graph.createHostWrite("tensor", tensor);
  graph.createHostRead("result", result);
  poplar::Engine engine(graph, prog);
  engine.load(device);
  if (!elements.empty())
    engine.writeTensor("tensor", elements.data(),
                       elements.data() + elements.size());
  engine.run();
  std::vector<unsigned> words(result.numElements());
  engine.readTensor("result", words.data(), words.data() + words.size());
  return words;
}

} // namespace popscope::tests
