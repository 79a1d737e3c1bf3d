// Uses libgcl, linked under any of its names.
#include <gcl/TileAllocation.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>

int main() {
  const poplar::Graph graph(poplar::IPUModel().createDevice().getTarget());
  std::cout << "collectives need " << gcl::getMinIoTiles(graph) << " tiles\n";
}
