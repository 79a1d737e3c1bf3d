// A graph on a small model, and variables on its tiles.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

struct TestGraph : poplar::Graph {
  explicit TestGraph(unsigned replicas = 1)
      : poplar::Graph(makeTarget(replicas),
                      poplar::replication_factor(replicas)) {}

  // On tile 0.
  poplar::Tensor variable(const poplar::Type &type,
                          std::vector<std::size_t> shape, const char *name) {
    const poplar::Tensor t = addVariable(type, shape, name);
    setTileMapping(t, 0);
    return t;
  }

private:
  static poplar::Target makeTarget(unsigned numIPUs) {
    poplar::IPUModel model;
    model.numIPUs = numIPUs;
    model.tilesPerIPU = 4;
    return model.createDevice().getTarget();
  }
};
