// Options of engines, of their streams and of the profile summary, and their
// resolution against the environment.
#pragma once

#include <poplar/EngineOptions.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/RuntimeOptions.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ipumodel {

// Enumerators are in the order of the option's values in the table.
enum class InstrumentationLevel { device, ipu, tile };
enum class StreamBufferOverlap { any, hostRearrangeOnly, none };
enum class CallbackThreads { singleThread, collaborative, dedicated };

// Options that may change from one load to the next.
struct RuntimeSettings {
  CallbackThreads callbackThreads = CallbackThreads::singleThread;
  std::optional<std::uint64_t> numCallbackThreads; // unset: as many as useful
  std::uint64_t firstRuntimeReplica = 0;
  std::optional<std::uint64_t> numRuntimeReplicas; // unset: all
  double hostSyncTimeout = 300;                    // seconds; 0: for ever
};

// Options with an effect; those that are merely accepted are not listed.
struct EngineSettings {
  // Reports, written to reportDirectory.
  std::string reportDirectory = ".";
  bool outputGraphProfile = false;
  bool outputExecutionProfile = false;
  bool outputSerializedGraph = false;
  bool outputDebugInfo = false;
  bool outputArchive = false;
  bool outputLoweredVars = false;
  std::uint64_t profiledRuns = 2; // at most, of each program

  // Instrumentation. Options not set default to debug.instrument, which
  // defaults to outputExecutionProfile.
  bool instrumentCompute = false;
  bool instrumentControlFlow = false;
  bool instrumentExternalExchange = false;
  InstrumentationLevel instrumentationLevel = InstrumentationLevel::tile;

  // Profiling of selected programs and blocks, by regular expression.
  std::optional<std::string> programsFilter;
  std::optional<std::string> blocksFilter;
  std::uint64_t blocksTile = 0;
  bool blocksImplicitFlush = true;
  std::optional<std::uint64_t> replicaToProfile; // unset: all
  bool includeCycleEstimates = false;
  bool includeFlopEstimates = false;

  // Execution.
  std::optional<bool> allowOutOfMemory;
  bool floatPointOpException = false;
  bool nanOverflowMode = false;
  bool runtimeVerify = false;
  bool trace = false;
  std::optional<std::uint64_t> seed;
  bool stochasticRounding = false;
  std::uint64_t maxCompilationThreads = 0; // 0: all available

  // Streams.
  StreamBufferOverlap streamBufferOverlap = StreamBufferOverlap::any;
  bool enablePrefetch = true;
  // Prefetching needs buffers that are not shared with other data.
  bool mayPrefetch() const {
    return enablePrefetch && streamBufferOverlap != StreamBufferOverlap::any;
  }

  RuntimeSettings runtime;

  // All options that were set, including the environment.
  poplar::OptionFlags flags;
};

// POPLAR_ENGINE_OPTIONS overrides `program`. Throws invalid_option.
EngineSettings resolveEngineOptions(const poplar::OptionFlags &program);

// `options` without those that choose an instance's replicas, so that the
// executables of all instances are equal.
poplar::OptionFlags withoutReplicaSlice(const poplar::OptionFlags &options);

// Seconds, of a program without options of its own.
double hostSyncTimeout();

// `engine` overridden by `runtime`, and that by POPLAR_RUNTIME_OPTIONS. Throws
// invalid_option.
RuntimeSettings resolveRuntimeOptions(const EngineSettings &engine,
                                      const poplar::RuntimeOptions &runtime);

// The replicas that an engine runs: those of one instance.
struct ReplicaSlice {
  unsigned first = 0;
  unsigned count = 1;
  unsigned total = 1;
  bool isAll() const { return count == total; }
  unsigned numInstances() const { return total / count; }
  unsigned instance() const { return first / count; }
};

// Throws invalid_option if the replicas are not there, or if they are not a
// slice of a division into equal parts.
ReplicaSlice replicaSlice(const RuntimeSettings &settings, unsigned total);

struct StreamSettings {
  // Larger transfers, in bytes, may be split; unset: never.
  std::optional<std::uint64_t> splitLimit = 50 * 1024 * 1024;
  std::uint64_t bufferingDepth = 1; // transfers that may be prefetched
};

// Options of Graph::addHostToDeviceFIFO and addDeviceToHostFIFO. Throws
// invalid_option.
StreamSettings resolveStreamOptions(const poplar::OptionFlags &flags);

struct SummarySettings {
  bool showExecutionSteps = false;
  bool showVarStorage = false;
  bool showOptimizations = false;
  bool showPerIpuMemoryUsage = false;
};

// Options of printProfileSummary. Throws invalid_option.
SummarySettings resolveSummaryOptions(const poplar::OptionFlags &flags);

struct OptionsAccess {
  static const poplar::OptionFlags &flags(const poplar::RuntimeOptions &o) {
    return o.flags_;
  }
  static const poplar::OptionFlags &flags(const poplar::EngineOptions &o) {
    return o.flags_;
  }
};

} // namespace ipumodel
