// The part of a profile that is about programs: what each program of the user
// comes to on the device.
#pragma once

#include "poplar/compute_set_estimate.hpp"
#include "poplar/engine_impl.hpp"
#include "poplar/exchange.hpp"
#include "pva/report_data.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ipumodel {

// Execute becomes an exchange of what its vertices read from other tiles, then
// their execution; a transfer to or from the host becomes three steps; a Copy
// is an exchange, or an execution if everything stays on its tile. Control flow
// keeps its shape.
class ProgramProfiles {
public:
  // Adds the programs of the plan to `compilation`.
  ProgramProfiles(const ExecutableData &executable, const Plan &plan,
                  const std::vector<ComputeSetEstimate> &estimates,
                  profile::Compilation &compilation);

  // What a step of the plan, or a program, comes to, in order; nothing for a
  // program that does nothing by itself.
  const std::vector<std::uint32_t> &of(StepId step) const {
    return bySteps_[step];
  }
  const std::vector<std::uint32_t> &of(const ProgramNode *program) const {
    return byNodes_.at(program);
  }

private:
  using Ids = std::vector<std::uint32_t>;

  Ids lower(const ProgramNode &node);
  Ids lowerControl(profile::ProgramType type, const ProgramNode &node);
  Ids lowerStep(const Step &step);
  Ids lowerExecute(const Step &step);
  Ids lowerCopy(const Step &step);
  Ids lowerHostTransfer(const Step &step);
  Ids lowerKernel(const Step &step);
  std::uint32_t add(profile::Program program);
  Ids lowerExchange(const Step &step, const Exchange &exchange,
                    std::uint64_t cycles,
                    const std::vector<std::uint32_t> &variables);
  std::uint32_t wrap(const Ids &ids);
  template <class Cycles>
  void setTraffic(profile::Program &program,
                  const std::unordered_map<TileId, Traffic> &tiles,
                  Cycles &&cycles);
  void spread(profile::Program &program, std::uint64_t bytes);

  const ExecutableData &executable_;
  const std::vector<ComputeSetEstimate> &estimates_; // by compute set
  profile::Compilation &compilation_;
  std::vector<Ids> bySteps_;
  std::unordered_map<const ProgramNode *, Ids> byNodes_;
  std::unordered_map<const ProgramNode *, std::vector<StepId>> stepsOf_;
  std::unordered_map<std::uint32_t, StepId> executions_; // by compute set
};

} // namespace ipumodel
