// A program as a user of the SDK would write it, in C++11: scales a vector by
// the codelet given as its argument and prints the result.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <vector>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: program CODELETS\n";
    return 2;
  }
  poplar::IPUModel model;
  poplar::Device device = model.createDevice();
  poplar::Graph graph(device.getTarget());
  graph.addCodelets(argv[1]);

  poplar::Tensor x = graph.addVariable(poplar::FLOAT, {4}, "x");
  poplar::Tensor y = graph.addVariable(poplar::FLOAT, {4}, "y");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, 1);
  graph.createHostWrite("x", x);
  graph.createHostRead("y", y);

  poplar::ComputeSet scale = graph.addComputeSet("scale");
  poplar::VertexRef vertex =
      graph.addVertex(scale, "Scale", {{"x", x}, {"y", y}});
  graph.setInitialValue(vertex["factor"], 2.5f);
  graph.setTileMapping(vertex, 1);

  poplar::Engine engine(graph, poplar::program::Execute(scale));
  engine.load(device);
  std::vector<float> values = {1, 2, 3, 4};
  engine.writeTensor("x", values.data(), values.data() + values.size());
  engine.run();
  engine.readTensor("y", values.data(), values.data() + values.size());
  for (float value : values)
    std::cout << value << ' ';
  std::cout << '\n';
}
