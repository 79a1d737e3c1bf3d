// The state of a device while an engine runs on it: the memory of each replica,
// the host's ends of the streams, and the counters.
#pragma once

#include "poplar/instances/instance_channel.hpp"
#include "poplar/run/buffer.hpp"
#include "poplar/run/execution_trace.hpp"
#include "poplar/run/step_times.hpp"
#include "poplar/run/stream_port.hpp"
#include "poplar/system/thread_pool.hpp"

#include <poplar/HostFunctionCallback.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

namespace ipumodel {

struct Replica {
  Buffer memory;  // laid out by MemoryPlan
  Buffer scratch; // for the current step
};

// Host memory of a remote buffer, `repeats` rows per replica.
struct RemoteMemory {
  std::shared_ptr<const RemoteBufferInfo> info;
  std::size_t rowBytes;
  std::vector<Buffer> replicas;
};

struct HostFunctionPort {
  std::vector<std::unique_ptr<poplar::HostCallback>> replicas;
  // One staging buffer per argument, inputs first, and the pointers to them.
  std::vector<Buffer> buffers;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
};

struct ProgramNode;

// Describes a step of the plan for the profile.
struct Step {
  std::string kind; // "Execute", "Copy", "StreamCopy", ...
  std::string name;
  std::uint64_t cycles = 0; // estimated, per execution
  std::uint64_t bytes = 0;  // moved between tiles or to and from the host
  std::uint32_t computeSet = ~std::uint32_t(0);
  const ProgramNode *program = nullptr; // its origin; set by addStep
};

struct ExecutionState {
  explicit ExecutionState(unsigned numThreads) : pool(numThreads) {}

  // Counts one execution of a step.
  void count(StepId step) {
    cycles += stepCycles[step];
    if (profiling)
      ++executions[step];
    if (trace)
      trace->add(step);
    if (times)
      times->begin(step);
  }

  // Those of this instance; the first is number `firstReplica` of the program.
  // Whatever the host program numbers is counted from 0 in each instance.
  std::vector<Replica> replicas;
  unsigned firstReplica = 0;
  // Reaches the other replicas; empty if all are here.
  std::optional<InstanceChannel> instances;

  bool isHere(unsigned replica) const {
    return replica - firstReplica < replicas.size();
  }
  unsigned instanceOf(unsigned replica) const {
    return replica / static_cast<unsigned>(replicas.size());
  }
  // Of a replica of this instance, by its number in the program.
  const Replica &replicaOf(unsigned replica) const {
    return replicas[replica - firstReplica];
  }

  std::vector<StreamPort> streams;
  std::vector<RemoteMemory> remoteBuffers;
  std::vector<HostFunctionPort> hostFunctions;
  std::ostream *printStream = nullptr;       // printf in codelets
  std::ostream *printTensorStream = nullptr; // PrintTensor

  std::uint64_t cycles = 0;
  std::vector<std::uint64_t> stepCycles; // by StepId
  std::vector<std::uint64_t> executions; // by StepId
  std::uint64_t numRuns = 0;
  bool profiling = true;
  StepTrace *trace = nullptr; // while a run is recorded
  StepTimes *times = nullptr; // while steps are timed
  BlockTrace blocks;
  std::atomic<bool> stopRequested{false};

  ThreadPool pool; // last: its threads end before other members are destroyed
};

} // namespace ipumodel
