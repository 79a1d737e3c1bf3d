#include "poplar/options/engine_options.hpp"
#include "tests/support/scoped_env.hpp"

#include <poplar/exceptions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>

using namespace ipumodel;
using poplar::EngineOptions;
using poplar::invalid_option;
using poplar::OptionFlags;
using poplar::RuntimeOptions;
using testing::EndsWith;
using testing::HasSubstr;

namespace {

template <class Resolve> std::string errorOf(Resolve resolve) {
  try {
    resolve();
  } catch (const invalid_option &error) {
    return error.what();
  }
  return "no error";
}

TEST(EngineOptions, UnknownKeyIsNamedAtTheEndOfTheMessage) {
  EXPECT_THAT(errorOf([] {
                resolveEngineOptions({{"debug.instrumnt", "true"}});
              }),
              EndsWith("Unrecognised option 'debug.instrumnt'"));
}

TEST(EngineOptions, ChecksThatAreAlwaysMadeMayBeAskedFor) {
  EXPECT_NO_THROW(resolveEngineOptions({{"debug.verify", "true"}}));
}

TEST(EngineOptions, BadValueIsNamedWithWhatIsAllowed) {
  const auto text = errorOf([] {
    resolveEngineOptions({{"exchange.streamBufferOverlap", "some"}});
  });
  EXPECT_THAT(text, HasSubstr("exchange.streamBufferOverlap"));
  EXPECT_THAT(text, HasSubstr("'some'"));
  EXPECT_THAT(text, HasSubstr("any, hostRearrangeOnly or none"));
  EXPECT_THAT(errorOf([] {
                resolveEngineOptions({{"debug.instrument", "yes"}});
              }),
              HasSubstr("true or false"));
  EXPECT_THAT(
      errorOf([] {
        resolveEngineOptions({{"streamCallbacks.numWorkerThreads", "-1"}});
      }),
      HasSubstr("an unsigned integer or auto"));
}

TEST(EngineOptions, IntegersMayBeHexadecimal) {
  EXPECT_EQ(resolveEngineOptions({{"prng.seed", "0xFF"}}).seed, 255u);
  EXPECT_EQ(resolveEngineOptions({{"prng.seed", "18446744073709551615"}}).seed,
            std::numeric_limits<std::uint64_t>::max());
  for (const char *value : {"", "0x", "1x", "1.5", "18446744073709551616"})
    EXPECT_THROW(resolveEngineOptions({{"prng.seed", value}}), invalid_option)
        << value;
}

TEST(EngineOptions, NothingIsReportedByDefault) {
  const EngineSettings settings = resolveEngineOptions({});
  EXPECT_EQ(settings.reportDirectory, ".");
  EXPECT_FALSE(settings.outputGraphProfile);
  EXPECT_FALSE(settings.instrumentCompute);
  EXPECT_FALSE(settings.allowOutOfMemory.has_value());
  EXPECT_FALSE(settings.seed.has_value());
  EXPECT_FALSE(settings.mayPrefetch());
}

TEST(EngineOptions, AllReportsCanBeSwitchedOnButForOne) {
  const EngineSettings settings =
      resolveEngineOptions({{"autoReport.all", "true"},
                            {"autoReport.outputArchive", "false"},
                            {"autoReport.directory", "report"}});
  EXPECT_TRUE(settings.outputGraphProfile);
  EXPECT_TRUE(settings.outputExecutionProfile);
  EXPECT_FALSE(settings.outputArchive);
  EXPECT_EQ(settings.reportDirectory, "report");
}

TEST(EngineOptions, ExecutionProfileBringsInstrumentation) {
  EXPECT_TRUE(
      resolveEngineOptions({{"autoReport.outputExecutionProfile", "true"}})
          .instrumentCompute);
  EXPECT_FALSE(
      resolveEngineOptions({{"autoReport.outputExecutionProfile", "true"},
                            {"debug.instrument", "false"}})
          .instrumentCompute);
  const EngineSettings part =
      resolveEngineOptions({{"debug.instrumentCompute", "true"}});
  EXPECT_TRUE(part.instrumentCompute);
  EXPECT_FALSE(part.instrumentControlFlow);
}

TEST(EngineOptions, PrefetchNeedsBuffersThatAreNotShared) {
  EXPECT_TRUE(resolveEngineOptions({{"exchange.streamBufferOverlap", "none"}})
                  .mayPrefetch());
  EXPECT_TRUE(resolveEngineOptions(
                  {{"exchange.streamBufferOverlap", "hostRearrangeOnly"}})
                  .mayPrefetch());
  EXPECT_FALSE(resolveEngineOptions({{"exchange.streamBufferOverlap", "none"},
                                     {"exchange.enablePrefetch", "false"}})
                   .mayPrefetch());
}

TEST(EngineOptions, WordsSelectTheirEnumerators) {
  EXPECT_EQ(resolveEngineOptions({{"debug.computeInstrumentationLevel", "ipu"}})
                .instrumentationLevel,
            InstrumentationLevel::ipu);
  EXPECT_EQ(resolveEngineOptions(
                {{"streamCallbacks.multiThreadMode", "collaborative"}})
                .runtime.callbackThreads,
            CallbackThreads::collaborative);
}

TEST(EngineOptions, FiltersAreRegularExpressions) {
  EXPECT_EQ(resolveEngineOptions({{"profiler.blocks.filter", "stage.|op2"}})
                .blocksFilter,
            "stage.|op2");
  EXPECT_THAT(errorOf([] {
                resolveEngineOptions({{"profiler.programs.filter", "("}});
              }),
              HasSubstr("profiler.programs.filter"));
}

TEST(EngineOptions, EnvironmentOverridesTheProgram) {
  const ScopedEnv env("POPLAR_ENGINE_OPTIONS",
                      R"({"debug.instrument": "true", "prng.seed": 7})");
  const EngineSettings settings =
      resolveEngineOptions({{"debug.instrument", "false"}});
  EXPECT_TRUE(settings.instrumentCompute);
  EXPECT_EQ(settings.seed, 7u);
  EXPECT_EQ(settings.flags.at("debug.instrument"), "true");
}

TEST(EngineOptions, EnvironmentIsCheckedLikeTheProgram) {
  const ScopedEnv env("POPLAR_ENGINE_OPTIONS", R"({"no.such": "1"})");
  EXPECT_THAT(errorOf([] { resolveEngineOptions({}); }),
              EndsWith("Unrecognised option 'no.such'"));
}

TEST(EngineOptions, RuntimeReplicasStayWithinTheFactor) {
  const auto target = poplar::Target::createIPUTarget(4, "ipu2");
  const OptionFlags flags{{"target.firstRuntimeReplica", "2"},
                          {"target.numberRuntimeReplica", "2"}};
  EXPECT_NO_THROW(EngineOptions(flags, target, 4));
  EXPECT_THROW(EngineOptions(flags, target, 3), invalid_option);
  EXPECT_THROW(EngineOptions(flags, target), invalid_option);
}

TEST(RuntimeOptions, TheHostSyncTimeoutIsANumberOfSeconds) {
  const auto timeout = [](const char *value) {
    return resolveEngineOptions({{"target.hostSyncTimeout", value}})
        .runtime.hostSyncTimeout;
  };
  EXPECT_EQ(resolveEngineOptions({}).runtime.hostSyncTimeout, 300);
  EXPECT_EQ(timeout("300.00"), 300);
  EXPECT_EQ(timeout("2.5"), 2.5);
  EXPECT_EQ(timeout("0"), 0);
  for (const char *bad : {"-1", "1.2.3", "", "soon", "nan"})
    EXPECT_THROW(timeout(bad), invalid_option) << bad;
}

TEST(RuntimeOptions, OverrideTheEnginesAndAreOverriddenByTheEnvironment) {
  const EngineSettings engine =
      resolveEngineOptions({{"streamCallbacks.multiThreadMode", "dedicated"},
                            {"target.firstRuntimeReplica", "1"}});
  const RuntimeOptions runtime(
      OptionFlags{{"target.firstRuntimeReplica", "2"}});
  RuntimeSettings settings = resolveRuntimeOptions(engine, runtime);
  EXPECT_EQ(settings.callbackThreads, CallbackThreads::dedicated);
  EXPECT_EQ(settings.firstRuntimeReplica, 2u);
  const ScopedEnv env("POPLAR_RUNTIME_OPTIONS",
                      R"({"target.firstRuntimeReplica": "3"})");
  EXPECT_EQ(resolveRuntimeOptions(engine, runtime).firstRuntimeReplica, 3u);
}

TEST(RuntimeOptions, RefuseOptionsOfTheCompilation) {
  EXPECT_THAT(errorOf([] {
                RuntimeOptions(OptionFlags{{"opt.enableInlining", "true"}});
              }),
              EndsWith("Unrecognised option 'opt.enableInlining'"));
  EXPECT_THROW(RuntimeOptions(OptionFlags{{"target.syncMethod", "x"}}),
               invalid_option);
}

TEST(StreamOptions, HaveDefaultsAndLimits) {
  EXPECT_EQ(resolveStreamOptions({}).splitLimit, 50u * 1024 * 1024);
  EXPECT_EQ(resolveStreamOptions({}).bufferingDepth, 1u);
  EXPECT_EQ(resolveStreamOptions({{"bufferingDepth", "3"}}).bufferingDepth, 3u);
  EXPECT_FALSE(resolveStreamOptions({{"splitLimit", "0"}}).splitLimit);
  EXPECT_FALSE(resolveStreamOptions({{"splitLimit", "4294967295"}}).splitLimit);
  EXPECT_THROW(resolveStreamOptions({{"bufferingDepth", "0"}}), invalid_option);
  EXPECT_THAT(errorOf([] {
                resolveStreamOptions({{"depth", "2"}});
              }),
              EndsWith("Unrecognised option 'depth'"));
}

TEST(SummaryOptions, SwitchPartsOn) {
  const SummarySettings settings =
      resolveSummaryOptions({{"showExecutionSteps", "true"}});
  EXPECT_TRUE(settings.showExecutionSteps);
  EXPECT_FALSE(settings.showVarStorage);
  EXPECT_THROW(resolveSummaryOptions({{"showAll", "true"}}), invalid_option);
}

} // namespace
