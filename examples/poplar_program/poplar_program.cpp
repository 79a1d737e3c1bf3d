// 2.5 x + x, by a vertex of our own and an operation of PopLibs:
//   poplar_program scale.cpp
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

#include <iostream>
#include <vector>

using namespace poplar;

int main(int argc, char **argv) {
  const Device device = IPUModel().createDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  graph.addCodelets(argc > 1 ? argv[1] : "scale.cpp"); // popc compiles it

  const Tensor x = graph.addConstant<float>(FLOAT, {4}, {1, 2, 3, 4});
  const Tensor y = graph.addVariable(FLOAT, {4}, "y");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, 1);
  const ComputeSet scale = graph.addComputeSet("scale");
  const VertexRef vertex =
      graph.addVertex(scale, "Scale", {{"x", x}, {"y", y}});
  graph.setInitialValue(vertex["factor"], 2.5F);
  graph.setTileMapping(vertex, 1);

  program::Sequence program;
  program.add(program::Execute(scale));
  popops::addInPlace(graph, y, x, program);
  graph.createHostRead("y", y);

  Engine engine(graph, program);
  engine.load(device);
  engine.run();
  std::vector<float> sums(4);
  engine.readTensor("y", sums.data(), sums.data() + sums.size());
  for (const float sum : sums)
    std::cout << sum << ' ';
  std::cout << '\n';
}
