// A layer that is enough for several threads, on tensors with a fixed pattern:
// its results are compared with those of other settings.
#pragma once

#include "tests/support/scoped_env.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <vector>

namespace poplibstest {

struct PatternedLayer {
  poplar::Device device = makeDevice();
  poplar::Graph graph{device.getTarget()};
  poplar::program::Sequence prog;

  poplar::Tensor fill(const poplar::Tensor &t) {
    std::vector<float> pattern(t.numElements());
    for (std::size_t i = 0; i < pattern.size(); ++i)
      pattern[i] = static_cast<float>(i * i % 1009) / 1009 - 0.5f;
    graph.setInitialValue(t.flatten(), poplar::ArrayRef<float>(pattern));
    return t;
  }

private:
  static poplar::Device makeDevice() {
    poplar::IPUModel model;
    model.tilesPerIPU = 16;
    return model.createDevice();
  }
};

// What `add`, which gets the layer and returns its results, computes.
template <class F>
std::vector<float> resultOn(const char *threads, const char *fusion, F &&add) {
  const ScopedEnv threadsEnv("IPUMODEL_THREADS", threads);
  const ScopedEnv fusionEnv("IPUMODEL_FUSION", fusion);
  PatternedLayer layer;
  std::vector<poplar::Tensor> results;
  for (const poplar::Tensor &result : add(layer))
    results.push_back(result.flatten());
  const poplar::Tensor all = concat(results);
  layer.graph.createHostRead("all", all);
  poplar::Engine engine(layer.graph, layer.prog);
  engine.load(layer.device);
  engine.run();
  std::vector<float> values(all.numElements());
  engine.readTensor("all", values.data(), values.data() + values.size());
  return values;
}

} // namespace poplibstest
