// The native operations of the public functions.
#pragma once

#include "poplar/native_kernel.hpp"
#include "poplar/tile_registers.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstdint>
#include <vector>

namespace poprand {

constexpr const char *kSetSeedKernel = "poprand.setSeed";

// Appends an operation that writes `out` with numbers from the seed. Without a
// seed they come from the generator of the graph's first tile: on a real device
// generators differ from tile to tile, but results here must not depend on the
// mapping.
template <class Distribution>
void addDraw(const poplar::Graph &graph, const poplar::Tensor *seed,
             std::uint32_t seedModifier, Distribution distribution,
             const poplar::Tensor &out, std::vector<poplar::Tensor> inputs,
             poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext) {
  ipumodel::ParameterWriter parameters;
  parameters.put(seedModifier);
  distribution.forEachField([&](const auto &field) { parameters.put(field); });
  std::vector<poplar::Tensor> outputs{out};
  if (seed) {
    inputs.insert(inputs.begin(), *seed);
  } else {
    const poplar::Tensor generator = ipumodel::hwSeeds(graph)[0][0];
    inputs.insert(inputs.begin(), generator);
    outputs.push_back(generator);
  }
  ipumodel::addNative(prog, Distribution::kKernel, outputs, inputs,
                      parameters.take(), debugContext);
}

} // namespace poprand
