#include "tests/support/scoped_env.hpp"

#include <poplar/IPUModel.hpp>
#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <unordered_set>

using namespace poplar;
using testing::HasSubstr;

namespace {

TEST(Target, Ipu1HasItsPublishedNumbers) {
  const Target target = Target::createIPUTarget(1, "ipu1");
  EXPECT_EQ(target.getTilesPerIPU(), 1216u);
  EXPECT_EQ(target.getBytesPerTile(), 256u * 1024);
  EXPECT_EQ(target.getNumWorkerContexts(), 6u);
  EXPECT_EQ(target.getExchangeBytesPerCycle(), 4u);
}

TEST(Target, Ipu2HasItsPublishedNumbers) {
  const Target target = Target::createIPUTarget(2, "ipu2");
  EXPECT_EQ(target.getTargetType(), TargetType::IPU);
  EXPECT_EQ(target.getTargetArchString(), "ipu2");
  EXPECT_EQ(target.getTilesPerIPU(), 1472u);
  EXPECT_EQ(target.getNumTiles(), 2u * 1472);
  EXPECT_EQ(target.getBytesPerTile(), 624u * 1024);
  EXPECT_EQ(target.getMemoryBytes(), 2ull * 1472 * 624 * 1024);
  EXPECT_EQ(target.getFloatVectorWidth(), 2u);
  EXPECT_EQ(target.getHalfVectorWidth(), 4u);
}

TEST(Target, OnlyIpu21MultipliesQuarters) {
  EXPECT_EQ(Target::createIPUTarget(1, "ipu2").getNumConvUnits(QUARTER, HALF),
            0u);
  EXPECT_GT(Target::createIPUTarget(1, "ipu21").getNumConvUnits(QUARTER, HALF),
            0u);
}

TEST(Target, AModelMaySetHowManyQuartersConvUnitsLoad) {
  IPUModel model("ipu21");
  EXPECT_EQ(model.fp8ConvUnitInputLoadElemsPerCycle,
            2 * model.fp16ConvUnitInputLoadElemsPerCycle);
  model.fp8ConvUnitInputLoadElemsPerCycle = 16;
  EXPECT_NE(model, IPUModel("ipu21"));
  const Target target = model.createDevice().getTarget();
  EXPECT_EQ(target.getFp8ConvUnitInputLoadElemsPerCycle(), 16u);
  EXPECT_EQ(IPUModel("ipu2").fp8ConvUnitInputLoadElemsPerCycle, 0u);
}

TEST(Target, ConvUnitsAreChosenByTypes) {
  const Target target = Target::createIPUTarget(1, "ipu2");
  EXPECT_EQ(target.getNumConvUnits(HALF, FLOAT),
            target.getFp16InFp32OutConvUnitsPerTile());
  EXPECT_EQ(target.getNumConvUnits(HALF, HALF),
            target.getFp16InFp16OutConvUnitsPerTile());
  EXPECT_EQ(target.getWeightsPerConvUnit(HALF), 16u);
  EXPECT_EQ(target.getWeightsPerConvUnit(FLOAT), 8u);
  EXPECT_THROW(target.getNumConvUnits(INT, INT), type_error);
  EXPECT_THROW(target.getConvUnitMaxPipelineDepth(BOOL), type_error);
}

TEST(Target, SystemNamesStandForTheirIpus) {
  const Target pod = Target::createIPUTarget("IPU-POD16");
  EXPECT_EQ(pod.getNumIPUs(), 16u);
  EXPECT_EQ(pod.getTargetArchString(), "ipu2");
  EXPECT_EQ(pod.getTargetSystemString(), "IPU-POD16");
  EXPECT_EQ(Target::createIPUTarget(2, 64, "IPU-POD16").getNumTiles(), 128u);
  EXPECT_THROW(Target::createIPUTarget("ipu9"), invalid_option);
  EXPECT_THROW(Target::createIPUTarget("IPU-PODx"), invalid_option);
}

TEST(Target, CpuHasOneTileAndOneWorker) {
  const Target target = Target::createCPUTarget();
  EXPECT_EQ(target.getTargetType(), TargetType::CPU);
  EXPECT_EQ(target.getNumTiles(), 1u);
  EXPECT_EQ(target.getNumWorkerContexts(), 1u);
  EXPECT_EQ(target.getBytesPerTile(), 256u * 1024);
}

TEST(Target, MustHaveTilesAndIpus) {
  EXPECT_THROW(Target::createIPUTarget(0, "ipu2"), invalid_machine_model);
  EXPECT_THROW(Target::createIPUTarget(1, 0, "ipu2"), invalid_machine_model);
}

TEST(Target, VirtualTargetsAreSmallerAndOtherwiseTheSame) {
  const Target whole = Target::createIPUTarget(4, "ipu2");
  const Target part = whole.createVirtualTarget(2, 10);
  EXPECT_EQ(part.getNumIPUs(), 2u);
  EXPECT_EQ(part.getTilesPerIPU(), 10u);
  EXPECT_EQ(part.getBytesPerTile(), whole.getBytesPerTile());
  EXPECT_EQ(part.getTargetType(), whole.getTargetType());
  EXPECT_THROW(whole.createVirtualTarget(5, 10), poplar_error);
  EXPECT_THROW(whole.createVirtualTarget(1, 1473), poplar_error);
}

TEST(Target, EmptyOneSaysSo) {
  const Target empty;
  EXPECT_THROW(empty.getNumTiles(), poplar_error);
  EXPECT_EQ(empty, Target());
  EXPECT_NE(empty, Target::createCPUTarget());
}

TEST(Target, ComparesByWhatItDescribes) {
  const Target a = Target::createIPUTarget(1, "ipu2");
  const Target same = Target::createIPUTarget(1, "ipu2");
  const Target b = Target::createIPUTarget(1, "ipu1");
  const Target c = Target::createIPUTarget(1, 8, "ipu2");
  EXPECT_EQ(a, same);
  EXPECT_EQ(a.hash(), same.hash());
  EXPECT_EQ((std::set<Target>{a, same, b, c, Target()}.size()), 4u);
  EXPECT_EQ((std::unordered_set<Target>{a, same, b, c}.size()), 3u);
}

TEST(Target, MemoryElementsCoverTheTile) {
  for (const char *arch : {"ipu1", "ipu2", "ipu21"}) {
    const Target target = Target::createIPUTarget(1, arch);
    const auto &offsets = target.getMemoryElementOffsets();
    ASSERT_GE(offsets.size(), 2u);
    EXPECT_EQ(offsets.front(), 0u);
    const unsigned element = offsets[1];
    EXPECT_EQ(offsets.size() * element, target.getBytesPerTile());
    EXPECT_LT(target.getInterleavedMemoryElementIndex(), offsets.size());
  }
}

TEST(Target, TypesHaveTheirSizesAndLimits) {
  const Target target = Target::createIPUTarget(1, "ipu2");
  EXPECT_EQ(target.getTypeSize(HALF), 2u);
  EXPECT_EQ(target.getTypeSize(QUARTER), 1u);
  EXPECT_EQ(target.getTypeSize(LONG), 8u);
  EXPECT_EQ(target.getTypeLimitsMaxAs<std::uint64_t>(UNSIGNED_INT),
            std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(target.getTypeLimitsMaxAs<std::uint64_t>(UNSIGNED_LONGLONG),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(target.getTypeLimitsLowestAs<long long>(LONGLONG),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(target.getTypeLimitsLowestAs<int>(SHORT), -32768);
  EXPECT_EQ(target.getTypeLimitsMaxAs<int>(BOOL), 1);
  EXPECT_EQ(target.getTypeLimitsMaxAs<double>(HALF), 65504);
  EXPECT_EQ(target.getTypeLimitsLowestAs<float>(FLOAT),
            std::numeric_limits<float>::lowest());
  EXPECT_THROW(target.getTypeLimitsMaxAs<int>(UNSIGNED_INT), overflow_error);
  EXPECT_THROW(target.getTypeLimitsLowestAs<unsigned>(INT), overflow_error);
}

TEST(Target, OptionsDescribeTheLinks) {
  const Target target = Target::createIPUTarget(
      4, "ipu2", {{"ipuLinkTopology", "torus"}, {"ipuLinkDomainSize", "64"}});
  EXPECT_EQ(target.getIpuLinkTopology(), IpuLinkTopology::Torus);
  EXPECT_EQ(target.getIpuLinkDomainSize(), 64u);
  EXPECT_EQ(target.getTargetOptions().at("ipuLinkTopology"), "torus");
  EXPECT_THROW(Target::createIPUTarget(1, "ipu2", {{"noSuchOption", "1"}}),
               invalid_option);
}

TEST(Target, EnvironmentOverridesTheOptions) {
  const ScopedEnv env("POPLAR_TARGET_OPTIONS", R"({"gatewayMode": "true"})");
  EXPECT_TRUE(Target::createIPUTarget(1, "ipu2", {{"gatewayMode", "false"}})
                  .getGatewayMode());
}

} // namespace
