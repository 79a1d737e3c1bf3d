#include "poplar/profile/profile.hpp"

#include "poplar/profile/profile_graph.hpp"
#include "poplar/profile/profile_programs.hpp"

#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

namespace ipumodel {

namespace {

using profile::BlockKind;
using profile::ProgramType;

void requireProfile(const ExecutableData &executable) {
  if (executable.graph.target.getTargetType() == poplar::TargetType::CPU)
    throw poplar::profiling_disabled();
  if (executable.deserialized)
    throw poplar::missing_graph_profile(
        "an executable that was deserialized has no graph profile");
}

std::vector<profile::Run> gatherRuns(const StepTrace &trace,
                                     const ProgramProfiles &programs) {
  std::vector<profile::Run> runs;
  for (const TracedRun &traced : trace.runs()) {
    profile::Run run;
    run.name = traced.name;
    run.program = traced.program;
    run.cyclesFrom = traced.cyclesFrom;
    run.cyclesTo = traced.cyclesTo;
    run.complete = traced.complete;
    for (const StepId step : traced.steps)
      for (const std::uint32_t program : programs.of(step))
        run.steps.push_back(program);
    runs.push_back(std::move(run));
  }
  return runs;
}

// A transfer to or from the host is recorded as its phases.
void addBlock(std::vector<profile::Block> &blocks, const TracedBlock &traced,
              const std::vector<std::uint32_t> &ids,
              const std::vector<profile::Program> &programs) {
  if (ids.empty())
    return;
  if (programs[ids[0]].type != ProgramType::streamCopyBegin) {
    blocks.push_back(
        {BlockKind::common, ids.back(), traced.cyclesFrom, traced.cyclesTo});
    return;
  }
  std::uint64_t cycle = traced.cyclesFrom;
  for (const std::uint32_t phase : ids) {
    const std::uint64_t end = cycle + programs[phase].cycles;
    blocks.push_back({BlockKind::streamCopy, phase, cycle, end});
    cycle = end;
  }
}

std::vector<profile::Block>
gatherBlocks(const ProfiledEngine &engine, const ProgramProfiles &programs,
             const profile::Compilation &compilation) {
  const BlockTrace &trace = engine.state.blocks;
  std::vector<profile::Block> blocks;
  for (const TracedBlock &traced : trace.blocks())
    addBlock(blocks, traced, programs.of(engine.plan.blocks[traced.block]),
             compilation.programs);
  if (trace.overflow())
    blocks.push_back({BlockKind::overflow, profile::kNone,
                      trace.overflow()->cyclesFrom,
                      trace.overflow()->cyclesTo});
  return blocks;
}

profile::Execution gatherExecution(const ProfiledEngine &engine,
                                   const ProgramProfiles &programs,
                                   const profile::Compilation &compilation) {
  const ExecutionState &state = engine.state;
  const EngineSettings &settings = engine.settings;
  profile::Execution execution;
  execution.hasSteps = engine.trace.has_value();
  execution.hasBlocks = settings.blocksFilter || settings.programsFilter;
  execution.numRuns = state.numRuns;
  execution.executions.resize(compilation.programs.size());
  for (StepId step = 0; step < state.executions.size(); ++step)
    for (const std::uint32_t program : programs.of(step))
      execution.executions[program] = state.executions[step];
  if (engine.trace)
    execution.runs = gatherRuns(*engine.trace, programs);
  execution.blocks = gatherBlocks(engine, programs, compilation);
  execution.blocksTile = settings.blocksTile;
  return execution;
}

} // namespace

profile::Report gatherProfile(const ProfiledEngine &engine,
                              ExecutionProfile execution) {
  const ExecutableData &executable = engine.executable;
  requireProfile(executable);
  profile::Report report;
  report.poplarVersion = poplar::versionString().cloneAsString();
  const auto estimates = estimateComputeSets(executable);
  report.compilation = gatherGraph(executable, estimates);
  const ProgramProfiles programs(executable, engine.plan, estimates,
                                 report.compilation);
  report.hasExecution = execution == ExecutionProfile::with;
  if (report.hasExecution)
    report.execution = gatherExecution(engine, programs, report.compilation);
  return report;
}

} // namespace ipumodel
