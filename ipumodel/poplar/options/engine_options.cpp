#include "poplar/options/engine_options.hpp"

#include "poplar/options/option_table.hpp"

#include <poplar/exceptions.hpp>

#include <limits>
#include <regex>

namespace ipumodel {
namespace {

constexpr auto kBoolean = OptionKind::boolean;
constexpr auto kUnsigned = OptionKind::unsignedInteger;
constexpr auto kNumber = OptionKind::number;
constexpr auto kWord = OptionKind::word;
constexpr auto kText = OptionKind::text;

constexpr const char *kFirstReplica = "target.firstRuntimeReplica";
constexpr const char *kNumReplicas = "target.numberRuntimeReplica";

constexpr OptionSpec kEngineSpecs[] = {
    {"autoReport.all", kBoolean},
    {"autoReport.directory", kText},
    {"autoReport.executionProfileProgramRunCount", kUnsigned},
    {"autoReport.outputArchive", kBoolean},
    {"autoReport.outputDebugInfo", kBoolean},
    {"autoReport.outputExecutionProfile", kBoolean},
    {"autoReport.outputGraphProfile", kBoolean},
    {"autoReport.outputLoweredVars", kBoolean},
    {"autoReport.outputPoplarLog", kBoolean},
    {"autoReport.outputSerializedGraph", kBoolean},
    {"debug.allowOutOfMemory", kBoolean},
    {"debug.branchRecordFlush", kBoolean},
    {"debug.computeInstrumentationLevel", kWord, "device|ipu|tile"},
    {"debug.executionProfile", kText},
    {"debug.floatPointOpException", kBoolean},
    {"debug.instrument", kBoolean},
    {"debug.instrumentCompute", kBoolean},
    {"debug.instrumentControlFlow", kBoolean},
    {"debug.instrumentExternalExchange", kBoolean},
    {"debug.loweredVarDumpFile", kText},
    {"debug.nanOverflowMode", kBoolean},
    {"debug.outputAllSymbols", kBoolean},
    {"debug.retainDebugInformation", kBoolean},
    {"debug.runtimeVerify", kBoolean},
    {"debug.trace", kBoolean},
    {"debug.verify", kBoolean},
    {"exchange.enablePrefetch", kBoolean},
    {"exchange.multicastPolicy", kText},
    {"exchange.streamBufferOverlap", kWord, "any|hostRearrangeOnly|none"},
    {"opt.enableInlining", kBoolean},
    {"opt.enableMultiAccessCopies", kBoolean},
    {"opt.internalExchangeOptimisationTarget", kWord, "balanced|cycles|memory"},
    {"opt.maxCompilationThreads", kUnsigned},
    {"opt.maxComputeSetsPerLoweredCopy", kUnsigned},
    {"opt.useAutoloader", kBoolean},
    {"prng.enableStochasticRounding", kBoolean},
    {"prng.seed", kUnsigned},
    {"profiler.blocks.filter", kText},
    {"profiler.blocks.implicitFlush", kBoolean},
    {"profiler.blocks.tile", kUnsigned},
    {"profiler.format", kWord, "v1|v2|v3|experimental|unstable"},
    {"profiler.includeCycleEstimates", kBoolean},
    {"profiler.includeFlopEstimates", kBoolean},
    {"profiler.programs.filter", kText},
    {"profiler.replicaToProfile", kUnsigned, "all"},
    {"streamCallbacks.maxLookahead", kUnsigned, "unlimited"},
    {"streamCallbacks.multiThreadMode", kWord,
     "singleThread|collaborative|dedicated"},
    {"streamCallbacks.numWorkerThreads", kUnsigned, "auto"},
    {"streamCallbacks.numaAware", kBoolean},
    {"target.deterministicWorkers", kBoolean, "portable"},
    {"target.exceptionPollPeriodUs", kUnsigned},
    {"target.extendedMemory", kBoolean},
    {kFirstReplica, kUnsigned},
    {"target.hostSyncTimeout", kNumber},
    {kNumReplicas, kUnsigned},
    {"target.saveArchive", kText},
    {"target.syncMethod", kWord, "polling|hybrid|default"},
    {"target.syncPollPeriodUs", kUnsigned},
    {"target.syncReplicasIndependently", kBoolean},
    {"target.workerStackSizeInBytes", kUnsigned},
};
constexpr OptionTable kEngineTable = kEngineSpecs;

constexpr OptionSpec kStreamSpecs[] = {
    {"bufferingDepth", kUnsigned},
    {"splitLimit", kUnsigned},
};
constexpr OptionTable kStreamTable = kStreamSpecs;

constexpr OptionSpec kSummarySpecs[] = {
    {"showExecutionSteps", kBoolean},
    {"showOptimizations", kBoolean},
    {"showPerIpuMemoryUsage", kBoolean},
    {"showVarStorage", kBoolean},
};
constexpr OptionTable kSummaryTable = kSummarySpecs;

// True for the engine options that may change with each load.
bool isRuntimeOption(std::string_view key) {
  return key.substr(0, 7) == "target." ||
         key.substr(0, 16) == "streamCallbacks.";
}

void checkRuntimeOptions(const poplar::OptionFlags &flags) {
  for (const auto &[key, value] : flags)
    if (!isRuntimeOption(key))
      throw poplar::invalid_option("Unrecognised option '" + key + "'");
}

RuntimeSettings runtimeSettings(const CheckedOptions &options) {
  RuntimeSettings settings;
  settings.callbackThreads = options.wordOr("streamCallbacks.multiThreadMode",
                                            CallbackThreads::singleThread);
  settings.numCallbackThreads =
      options.unsignedInteger("streamCallbacks.numWorkerThreads");
  settings.firstRuntimeReplica =
      options.unsignedInteger(kFirstReplica).value_or(0);
  settings.numRuntimeReplicas = options.unsignedInteger(kNumReplicas);
  settings.hostSyncTimeout = options.number("target.hostSyncTimeout")
                                 .value_or(settings.hostSyncTimeout);
  return settings;
}

std::optional<std::string> filter(const CheckedOptions &options,
                                  std::string_view key) {
  auto pattern = options.text(key);
  try {
    if (pattern)
      std::regex{*pattern};
  } catch (const std::regex_error &error) {
    throw poplar::invalid_option(
        "option '" + std::string(key) + "' cannot be '" + *pattern +
        "'; use a regular expression: " + error.what());
  }
  return pattern;
}

} // namespace

EngineSettings resolveEngineOptions(const poplar::OptionFlags &program) {
  const CheckedOptions options(kEngineTable,
                               overriddenBy("POPLAR_ENGINE_OPTIONS", program));
  const auto on = [&](std::string_view key, bool unset) {
    return options.boolean(key).value_or(unset);
  };

  EngineSettings s;
  s.flags = options.flags();

  s.reportDirectory = options.text("autoReport.directory").value_or(".");
  const bool all = on("autoReport.all", false);
  s.outputGraphProfile = on("autoReport.outputGraphProfile", all);
  s.outputExecutionProfile = on("autoReport.outputExecutionProfile", all);
  s.outputSerializedGraph = on("autoReport.outputSerializedGraph", all);
  s.outputDebugInfo = on("autoReport.outputDebugInfo", all);
  s.outputArchive = on("autoReport.outputArchive", all);
  s.outputLoweredVars = on("autoReport.outputLoweredVars", all);
  s.profiledRuns =
      options.unsignedInteger("autoReport.executionProfileProgramRunCount")
          .value_or(s.profiledRuns);

  const bool instrument = on("debug.instrument", s.outputExecutionProfile);
  s.instrumentCompute = on("debug.instrumentCompute", instrument);
  s.instrumentControlFlow = on("debug.instrumentControlFlow", instrument);
  s.instrumentExternalExchange =
      on("debug.instrumentExternalExchange", instrument);
  s.instrumentationLevel = options.wordOr("debug.computeInstrumentationLevel",
                                          s.instrumentationLevel);

  s.programsFilter = filter(options, "profiler.programs.filter");
  s.blocksFilter = filter(options, "profiler.blocks.filter");
  s.blocksTile =
      options.unsignedInteger("profiler.blocks.tile").value_or(s.blocksTile);
  s.blocksImplicitFlush =
      on("profiler.blocks.implicitFlush", s.blocksImplicitFlush);
  s.replicaToProfile = options.unsignedInteger("profiler.replicaToProfile");
  s.includeCycleEstimates = on("profiler.includeCycleEstimates", false);
  s.includeFlopEstimates = on("profiler.includeFlopEstimates", false);

  s.allowOutOfMemory = options.boolean("debug.allowOutOfMemory");
  s.floatPointOpException = on("debug.floatPointOpException", false);
  s.nanOverflowMode = on("debug.nanOverflowMode", false);
  s.runtimeVerify = on("debug.runtimeVerify", false);
  s.trace = on("debug.trace", false);
  s.seed = options.unsignedInteger("prng.seed");
  s.stochasticRounding = on("prng.enableStochasticRounding", false);
  s.maxCompilationThreads =
      options.unsignedInteger("opt.maxCompilationThreads").value_or(0);

  s.streamBufferOverlap =
      options.wordOr("exchange.streamBufferOverlap", s.streamBufferOverlap);
  s.enablePrefetch = on("exchange.enablePrefetch", s.enablePrefetch);

  s.runtime = runtimeSettings(options);
  return s;
}

RuntimeSettings resolveRuntimeOptions(const EngineSettings &engine,
                                      const poplar::RuntimeOptions &runtime) {
  const poplar::OptionFlags own =
      overriddenBy("POPLAR_RUNTIME_OPTIONS", OptionsAccess::flags(runtime));
  checkRuntimeOptions(own);
  poplar::OptionFlags merged = engine.flags;
  for (const auto &[key, value] : own)
    merged.set(key, value);
  return runtimeSettings(CheckedOptions(kEngineTable, merged));
}

ReplicaSlice replicaSlice(const RuntimeSettings &settings, unsigned total) {
  const std::uint64_t first = settings.firstRuntimeReplica;
  const std::uint64_t count =
      settings.numRuntimeReplicas.value_or(first < total ? total - first : 0);
  const std::string options = std::string("options '") + kFirstReplica +
                              "' and '" + kNumReplicas + "' ";
  if (first >= total || count > total - first)
    throw poplar::invalid_option(options + "go beyond the replication factor " +
                                 std::to_string(total));
  if (count == 0 || total % count != 0 || first % count != 0)
    throw poplar::invalid_option(
        options + "choose " + std::to_string(count) + " replicas from " +
        std::to_string(first) +
        "; all instances must have equal parts of the " +
        std::to_string(total) + " replicas");
  return {unsigned(first), unsigned(count), total};
}

poplar::OptionFlags withoutReplicaSlice(const poplar::OptionFlags &options) {
  poplar::OptionFlags others;
  for (const auto &[key, value] : options)
    if (key != kFirstReplica && key != kNumReplicas)
      others.set(key, value);
  return others;
}

double hostSyncTimeout() {
  return resolveRuntimeOptions(resolveEngineOptions({}),
                               poplar::RuntimeOptions())
      .hostSyncTimeout;
}

StreamSettings resolveStreamOptions(const poplar::OptionFlags &flags) {
  const CheckedOptions options(kStreamTable, flags);
  StreamSettings settings;
  if (const auto limit = options.unsignedInteger("splitLimit")) {
    const bool never =
        *limit == 0 || *limit >= std::numeric_limits<unsigned>::max();
    settings.splitLimit = never ? std::nullopt : limit;
  }
  settings.bufferingDepth =
      options.unsignedInteger("bufferingDepth").value_or(1);
  if (settings.bufferingDepth == 0)
    throw poplar::invalid_option(
        "option 'bufferingDepth' cannot be '0'; use at least 1");
  return settings;
}

SummarySettings resolveSummaryOptions(const poplar::OptionFlags &flags) {
  const CheckedOptions options(kSummaryTable, flags);
  const auto on = [&](std::string_view key) {
    return options.boolean(key).value_or(false);
  };
  return {on("showExecutionSteps"), on("showVarStorage"),
          on("showOptimizations"), on("showPerIpuMemoryUsage")};
}

} // namespace ipumodel

namespace poplar {

RuntimeOptions::RuntimeOptions(const OptionFlags &flags) : flags_(flags) {
  ipumodel::checkRuntimeOptions(flags);
  ipumodel::CheckedOptions(ipumodel::kEngineTable, flags);
}

EngineOptions::EngineOptions(const OptionFlags &flags, const Target &,
                             unsigned replicationFactor)
    : flags_(flags) {
  ipumodel::replicaSlice(ipumodel::resolveEngineOptions(flags).runtime,
                         replicationFactor);
}

} // namespace poplar
