// What the engine expects the training program to cost, before it runs.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/Target.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace popscope::host {

// From the engine's own profile of the compiled program; nothing is measured.
struct CostEstimates {
  // Cycles that the busiest tile needs for one execution, by the name of the
  // program: its vertices, and the exchange between the tiles of an IPU.
  // Transfers between IPUs and with the host are not included.
  std::map<std::string, std::uint64_t> cycles;
  // Bytes on all tiles, by the name of the tensor.
  std::map<std::string, std::uint64_t> bytes;
  double cyclesPerSecond = 0.0;
};

// Of the program named graph::kTrainProgram. None if the engine has no profile,
// as on a CPU device.
std::optional<CostEstimates> estimateCosts(poplar::Engine &engine,
                                           const poplar::Target &target);

} // namespace popscope::host
