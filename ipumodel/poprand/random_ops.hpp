// The native operations of the public functions.
#pragma once

#include "poplar/operators/tile_registers.hpp"
#include "poplar/plan/native_kernel.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstdint>
#include <vector>

namespace ipumodel {

// Numbers of a distribution: out, [generator] <- seed or generator, [data].
template <class Distribution> struct DrawOperator {
  static constexpr const char *kName = Distribution::kName;
  std::uint32_t seedModifier;
  Distribution distribution;

  template <class Io> void fields(Io &io) {
    io(seedModifier);
    distribution.fields(io);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

// The words of all generators <- seed.
struct SetSeedOperator {
  static constexpr const char *kName = "poprand.setSeed";
  std::uint32_t seedModifier;

  template <class Io> void fields(Io &io) { io(seedModifier); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

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
  std::vector<poplar::Tensor> outputs{out};
  if (seed) {
    inputs.insert(inputs.begin(), *seed);
  } else {
    const poplar::Tensor generator = hwSeeds(graph)[0][0];
    inputs.insert(inputs.begin(), generator);
    outputs.push_back(generator);
  }
  addNative(prog, DrawOperator<Distribution>{seedModifier, distribution},
            outputs, inputs, debugContext);
}

} // namespace ipumodel
