// A small graph with known estimated costs.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace profiletest {

using namespace poplar;
using namespace poplar::program;

inline Device makeDevice(unsigned numIPUs, unsigned tilesPerIPU) {
  IPUModel model;
  model.numIPUs = numIPUs;
  model.tilesPerIPU = tilesPerIPU;
  return model.createDevice();
}

constexpr const char *kDouble = R"(
#include <poplar/Vertex.hpp>
class Double : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = 2 * in[i];
    return true;
  }
};
)";

// Two IPUs of four tiles. Row i of `a` and of `b` is on tile i.
struct ProfiledGraph {
  static constexpr unsigned kTiles = 8;
  static constexpr unsigned kRow = 16; // elements

  Device device = makeDevice(2, 4);
  Graph graph{device.getTarget()};
  Tensor a, b;

  ProfiledGraph() {
    std::stringstream code(kDouble);
    graph.addCodelets(code);
    a = graph.addVariable(FLOAT, {kTiles, kRow}, "layer/a");
    b = graph.addVariable(FLOAT, {kTiles, kRow}, "layer/b");
    for (unsigned i = 0; i < kTiles; ++i) {
      graph.setTileMapping(a[i], i);
      graph.setTileMapping(b[i], i);
    }
  }

  // A compute set with one vertex on `tile`, which reads the row of `a` on tile
  // `from`.
  ComputeSet add(const std::string &name, unsigned tile, unsigned from,
                 std::uint64_t cycles) {
    const ComputeSet cs = graph.addComputeSet(name);
    const VertexRef v =
        graph.addVertex(cs, "Double", {{"in", a[from]}, {"out", b[tile]}});
    graph.setTileMapping(v, tile);
    graph.setPerfEstimate(v, cycles);
    return cs;
  }

  Engine run(const Program &program, const OptionFlags &options,
             unsigned times = 1) {
    Engine engine(graph, program, options);
    engine.load(device);
    for (unsigned i = 0; i < times; ++i)
      engine.run(0, "run " + std::to_string(i));
    return engine;
  }
};

} // namespace profiletest
