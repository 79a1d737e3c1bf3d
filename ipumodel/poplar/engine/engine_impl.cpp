#include "poplar/engine/engine_impl.hpp"

#include "poplar/codelet/codelet_library.hpp"
#include "poplar/codelet/vertex_print.hpp"
#include "poplar/graph/tensor_checks.hpp"
#include "poplar/profile/profile_files.hpp"
#include "poplar/values/type_info.hpp"

#include <poplar/exceptions.hpp>

#include <cstdlib>
#include <cstring>
#include <iostream>

namespace ipumodel {

namespace {

// The variable names a file for the time each step took; see StepTimes.
constexpr const char *kStepTimesVariable = "IPUMODEL_STEP_TIMES";

// Repeats `element` over [dst, dst + count * size).
void fill(char *dst, const char *element, std::size_t size, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(dst + i * size, element, size);
}

void fillVariable(char *dst, const Variable &variable, unsigned replica) {
  const std::size_t size = sizeOf(variable.type);
  if (variable.kind == Variable::Kind::replicaIndex) {
    const std::uint32_t index = replica;
    fill(dst, reinterpret_cast<const char *>(&index), size,
         variable.numElements);
    return;
  }
  const Bytes &value = *variable.value;
  if (value.size() == variable.numElements * size)
    std::memcpy(dst, value.data(), value.size());
  else
    fill(dst, value.data(), size, variable.numElements);
}

// Counts a run, and records it if requested, until it ends or fails.
class RunRecording {
public:
  RunRecording(ExecutionState &state, std::optional<StepTrace> &trace,
               unsigned program, const std::string &name)
      : state_(state) {
    if (!state.profiling)
      return;
    ++state.numRuns;
    if (trace && trace->beginRun(program, name, state.cycles))
      state.trace = &*trace;
  }
  RunRecording(const RunRecording &) = delete;
  RunRecording &operator=(const RunRecording &) = delete;
  ~RunRecording() {
    if (state_.trace)
      state_.trace->endRun(state_.cycles);
    state_.trace = nullptr;
    if (state_.times)
      state_.times->end();
  }

private:
  ExecutionState &state_;
};

} // namespace

EngineImpl::EngineImpl(std::shared_ptr<const ExecutableData> executable,
                       const poplar::OptionFlags &options)
    : executable_(std::move(executable)),
      settings_(resolveEngineOptions(options)),
      slice_(replicaSlice(settings_.runtime,
                          executable_->graph.replicationFactor)),
      plan_(executable_->graph), state_(ThreadPool::defaultThreads()) {
  PlanBuilder(*executable_, BlockSelector(settings_), plan_).build();
  if (settings_.instrumentCompute)
    trace_.emplace(settings_.profiledRuns);
  const GraphData &graph = executable_->graph;
  for (const auto &library : graph.libraries)
    library->setPrint(printFromVertex);
  for (const Step &step : plan_.steps)
    state_.stepCycles.push_back(step.cycles);
  state_.executions.resize(plan_.steps.size());
  if (std::getenv(kStepTimesVariable)) {
    times_.emplace(plan_.steps.size());
    state_.times = &*times_;
  }
  state_.printStream = &std::cout;
  state_.printTensorStream = &std::cerr;

  for (const HostAccess &access : graph.hostReads) {
    const std::size_t size = sizeOf(access.tensor->type);
    HostTensor &tensor = hostReads_[access.handle];
    tensor.bytes = access.tensor->view.numElements() * size;
    tensor.copy = plan_.memory.gather(access.tensor->view, size);
    if (const TensorPtr &metadata = access.tensor->metadata)
      tensor.metadata =
          plan_.memory.gather(metadata->view, sizeOf(metadata->type));
  }
  for (const HostAccess &access : graph.hostWrites) {
    const std::size_t size = sizeOf(access.tensor->type);
    HostTensor &tensor = hostWrites_[access.handle];
    tensor.bytes = access.tensor->view.numElements() * size;
    tensor.copy = plan_.memory.scatter(access.tensor->view, size);
    const TensorPtr &metadata = access.tensor->metadata;
    if (metadata && isWriteable(graph, metadata->view))
      tensor.metadata =
          plan_.memory.scatter(metadata->view, sizeOf(metadata->type));
  }
  for (const InitialValue &initial : graph.initialValues)
    initialValues_.push_back(plan_.memory.scatter(
        initial.tensor->view, sizeOf(initial.tensor->type)));

  for (const auto &info : graph.streams) {
    streams_[info->handle] = info->id;
    state_.streams.emplace_back(info, slice_.count, settings_.mayPrefetch());
  }
  for (const auto &info : graph.remoteBuffers) {
    remoteBuffers_[info->handle] = info->id;
    RemoteMemory memory{info, info->numElements * sizeOf(info->type), {}};
    for (unsigned r = 0; r < slice_.count; ++r)
      memory.replicas.emplace_back(memory.rowBytes * info->repeats);
    state_.remoteBuffers.push_back(std::move(memory));
  }
  for (const HostFunctionInfo &info : graph.hostFunctions) {
    functions_.emplace(info.handle,
                       static_cast<std::uint32_t>(state_.hostFunctions.size()));
    HostFunctionPort port;
    port.replicas.resize(slice_.count);
    for (const HostFunctionInfo::Argument &argument : info.inputs) {
      port.buffers.emplace_back(argument.numElements * sizeOf(argument.type));
      port.inputs.push_back(port.buffers.back().data());
    }
    for (const HostFunctionInfo::Argument &argument : info.outputs) {
      port.buffers.emplace_back(argument.numElements * sizeOf(argument.type));
      port.outputs.push_back(port.buffers.back().data());
    }
    state_.hostFunctions.push_back(std::move(port));
  }
  writeProfileFiles(profiled(), ExecutionProfile::without);
}

EngineImpl::~EngineImpl() {
  const char *const file = std::getenv(kStepTimesVariable);
  if (times_ && file)
    times_->write(file, plan_.steps);
  if (!settings_.outputExecutionProfile)
    return;
  try {
    writeProfileFiles(profiled(), ExecutionProfile::with);
  } catch (const std::exception &error) {
    std::cerr << "the execution profile is lost: " << error.what() << '\n';
  }
}

void EngineImpl::prepare(const poplar::Device &device) {
  const poplar::Target &have = device.getTarget();
  const poplar::Target &need = executable_->graph.target;
  const unsigned numIPUs = need.getNumIPUs() * slice_.count;
  if (have.getNumIPUs() != numIPUs ||
      have.getTilesPerIPU() != need.getTilesPerIPU())
    throw poplar::poplar_error(
        "the program was compiled for " + std::to_string(numIPUs) + " IPU(s)" +
        (slice_.isAll() ? "" : " in each instance") + " of " +
        std::to_string(need.getTilesPerIPU()) + " tiles, the device has " +
        std::to_string(have.getNumIPUs()) + " of " +
        std::to_string(have.getTilesPerIPU()));
  if (!prepared_) {
    if (!slice_.isAll())
      connectInstances();
    state_.firstReplica = slice_.first;
    state_.replicas.resize(slice_.count);
    for (Replica &replica : state_.replicas) {
      replica.memory = Buffer(plan_.memory.size());
      replica.scratch = Buffer(plan_.memory.scratchSize());
    }
  }
  prepared_ = true;
  deployed_ = false;
}

void EngineImpl::connectInstances() {
  std::shared_ptr<InstanceLink> link = engineLink();
  if (link->numInstances() != slice_.numInstances() ||
      link->index() != slice_.instance())
    throw poplar::poplar_error(
        "replicas " + std::to_string(slice_.first) + " to " +
        std::to_string(slice_.first + slice_.count - 1) + " of " +
        std::to_string(slice_.total) + " are those of instance " +
        std::to_string(slice_.instance()) + " of " +
        std::to_string(slice_.numInstances()) + ", but this is instance " +
        std::to_string(link->index()) + " of " +
        std::to_string(link->numInstances()) +
        ": start the program with poprun");
  state_.instances.emplace(
      std::move(link),
      std::chrono::duration<double>(settings_.runtime.hostSyncTimeout));
}

void EngineImpl::apply(const RuntimeSettings &settings) {
  const ReplicaSlice asked = replicaSlice(settings, slice_.total);
  if (asked.first != slice_.first || asked.count != slice_.count)
    throw poplar::invalid_option(
        "the replicas of an engine are chosen when it is made: give "
        "'target.firstRuntimeReplica' and 'target.numberRuntimeReplica' to "
        "its constructor");
  settings_.runtime = settings;
  if (state_.instances)
    state_.instances->setTimeout(
        std::chrono::duration<double>(settings.hostSyncTimeout));
}

void EngineImpl::deploy() {
  if (!prepared_)
    throw poplar::poplar_error("deploy: call prepare(device) first");
  for (StreamPort &port : state_.streams)
    port.dropPrefetched();
  for (unsigned r = 0; r < state_.replicas.size(); ++r)
    initialise(r);
  deployed_ = true;
}

void EngineImpl::initialise(unsigned r) {
  const GraphData &graph = executable_->graph;
  const Replica &replica = state_.replicas[r];
  char *const memory = replica.memory.data();
  state_.replicas[r].memory.clear();
  for (VariableId id = 0; id < graph.variables.size(); ++id)
    if (graph.variables[id].kind != Variable::Kind::variable)
      fillVariable(memory + plan_.memory.offsetOf(id), graph.variables[id],
                   slice_.first + r);
  for (std::size_t i = 0; i < graph.initialValues.size(); ++i) {
    const InitialValue &initial = graph.initialValues[i];
    const std::size_t size = sizeOf(initial.tensor->type);
    const std::size_t count = initial.tensor->view.numElements();
    Bytes elements = initial.elements;
    if (elements.size() != count * size) {
      elements.resize(count * size);
      fill(elements.data(), initial.elements.data(), size, count);
    }
    initialValues_[i].run(memory, elements.data(), state_.pool);
  }
  if (!plan_.vertexImage.empty())
    std::memcpy(memory + plan_.vertexOffset, plan_.vertexImage.data(),
                plan_.vertexImage.size());
  for (const Relocation &relocation : plan_.relocations) {
    char *target = (relocation.inScratch ? replica.scratch.data() : memory) +
                   relocation.target;
    std::memcpy(memory + relocation.position, &target, sizeof(target));
  }
}

void EngineImpl::requireDeployed(const char *action) const {
  if (!deployed_)
    throw poplar::poplar_error(
        std::string(action) +
        ": the engine is not loaded; call load(device) first");
}

void EngineImpl::requireProgram(unsigned program) const {
  if (program >= plan_.programs.size())
    throw poplar::index_error("run: there is no program " +
                              std::to_string(program) + ", only " +
                              std::to_string(plan_.programs.size()));
}

void EngineImpl::startTogether(unsigned program, const std::string &name) {
  requireDeployed("run");
  requireProgram(program);
  if (state_.instances)
    state_.instances->meet(
        ExchangeStep("the start of program " + std::to_string(program) +
                     (name.empty() ? "" : " '" + name + "'")));
}

void EngineImpl::run(unsigned program, const std::string &name) {
  requireDeployed("run");
  requireProgram(program);
  const RunRecording recording(state_, trace_, program, name);
  try {
    plan_.programs[program]->run(state_);
  } catch (...) {
    clearWorkspaces();
    throw;
  }
  state_.stopRequested = false;
}

void EngineImpl::clearWorkspaces() {
  for (const Replica &replica : state_.replicas)
    for (const MemoryRange &workspace : plan_.workspaces)
      std::memset(replica.memory.data() + workspace.offset, 0, workspace.size);
}

void EngineImpl::resetExecutionProfile() {
  std::fill(state_.executions.begin(), state_.executions.end(), 0);
  state_.numRuns = 0;
  state_.blocks.clear();
  state_.trace = nullptr;
  if (trace_)
    trace_->clear();
}

} // namespace ipumodel
