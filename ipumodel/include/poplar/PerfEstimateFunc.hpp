// Estimated cost of one vertex, and the function that computes it.
#pragma once

#include <poplar/Target.hpp>
#include <poplar/VertexIntrospector.hpp>

#include <cstdint>
#include <functional>

namespace poplar {

struct VertexPerfEstimate {
  std::uint64_t cycles = 0;
  std::uint64_t flops = 0;
  VertexPerfEstimate() = default;
  VertexPerfEstimate(std::uint64_t cycles, std::uint64_t flops = 0)
      : cycles(cycles), flops(flops) {}
};

using PerfEstimateFunc = std::function<VertexPerfEstimate(
    const VertexIntrospector &vertex, const Target &target)>;

} // namespace poplar
