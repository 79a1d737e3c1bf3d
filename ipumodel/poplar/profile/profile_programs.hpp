// The programs' part of a profile: what each of the user's programs becomes on
// the device.
#pragma once

#include "poplar/estimate/compute_set_estimate.hpp"
#include "poplar/estimate/exchange.hpp"
#include "poplar/plan/plan_builder.hpp"
#include "poplar/profile/native_vertices.hpp"
#include "pva/report_data.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ipumodel {

// Execute becomes an exchange of the elements its vertices read from other
// tiles, then their execution; a transfer to or from the host becomes three
// steps; a Copy is an exchange, or an execution if all elements stay on their
// tiles. A native operation is the execution of one vertex on every tile with a
// part of its result. Control flow keeps its structure.
class ProgramProfiles {
public:
  // Adds the programs of the plan to `compilation`, and the vertices that
  // native operations stand for.
  ProgramProfiles(const ExecutableData &executable, const Plan &plan,
                  const std::vector<ComputeSetEstimate> &estimates,
                  profile::Compilation &compilation);

  // What a step of the plan, or a program, becomes, in order; empty for a
  // program that does nothing itself.
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
  NativeVertices vertices_;
  std::vector<Ids> bySteps_;
  std::unordered_map<const ProgramNode *, Ids> byNodes_;
  std::unordered_map<const ProgramNode *, std::vector<StepId>> stepsOf_;
  std::unordered_map<std::uint32_t, StepId> executions_; // by compute set
};

} // namespace ipumodel
