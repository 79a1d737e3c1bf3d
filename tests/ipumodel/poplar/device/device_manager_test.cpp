#include "tests/support/scoped_env.hpp"

#include <poplar/DeviceManager.hpp>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

using namespace poplar;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

constexpr const char *kVariable = "IPUMODEL_DEVICES";

std::vector<unsigned> idsOf(const std::vector<Device> &devices) {
  std::vector<unsigned> ids;
  for (const Device &device : devices)
    ids.push_back(device.getId());
  return ids;
}

TEST(DeviceManager, FindsNoIpuByItself) {
  const ScopedEnv env(kVariable, "");
  const auto manager = DeviceManager::createDeviceManager();
  EXPECT_EQ(manager.getNumDevices(), 0u);
  EXPECT_THAT(manager.getDevices(), IsEmpty());
  EXPECT_THAT(manager.getDevices(TargetType::IPU, 1), IsEmpty());
}

TEST(DeviceManager, NumbersSinglesThenPairsThenFours) {
  const ScopedEnv env(kVariable, "4");
  const DeviceManager manager;
  EXPECT_EQ(manager.getNumDevices(), 7u);
  EXPECT_THAT(idsOf(manager.getDevices(TargetType::IPU, 1)),
              ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(idsOf(manager.getDevices(TargetType::IPU, 2)), ElementsAre(4, 5));
  EXPECT_THAT(idsOf(manager.getDevices(TargetType::IPU, 4)), ElementsAre(6));
  EXPECT_THAT(manager.getDevices(TargetType::IPU, 3), IsEmpty());
  EXPECT_THAT(manager.getDevice(5).getDriverIDs(), ElementsAre(2, 3));
}

TEST(DeviceManager, FindsIpusOnly) {
  const ScopedEnv env(kVariable, "1");
  const DeviceManager manager;
  EXPECT_THAT(manager.getDevices(TargetType::IPU_MODEL, 1), IsEmpty());
  EXPECT_THAT(manager.getDevices(TargetType::CPU, 1), IsEmpty());
}

TEST(DeviceManager, OffersTheChipAndTilesAskedFor) {
  {
    const ScopedEnv env(kVariable, "1");
    const Device device = DeviceManager().getDevice(0);
    EXPECT_EQ(device.getTarget().getTargetType(), TargetType::IPU);
    EXPECT_EQ(device.getTarget().getTargetArchString(), "ipu2");
    EXPECT_EQ(device.getTarget().getNumTiles(), 1472u);
  }
  {
    const ScopedEnv env(kVariable, "2:ipu1");
    EXPECT_EQ(DeviceManager().getDevice(2).getTarget().getNumTiles(),
              2u * 1216);
  }
  const ScopedEnv env(kVariable, "2:ipu2:16");
  EXPECT_EQ(DeviceManager().getDevice(2).getTarget().getNumTiles(), 32u);
}

TEST(DeviceManager, NamesTheVariableThatIsMalformed) {
  for (const char *value :
       {"four", "-1", "1.5", "257", "2:", "2:ipu9", "2:ipu2:", "2:ipu2:x",
        "2:ipu2:0", "2:ipu2:16:1", ":ipu2", " 2"}) {
    const ScopedEnv env(kVariable, value);
    try {
      DeviceManager();
      FAIL() << value;
    } catch (const invalid_option &error) {
      EXPECT_THAT(error.what(), HasSubstr(kVariable));
      EXPECT_THAT(error.what(), HasSubstr("'" + std::string(value) + "'"));
    }
  }
}

TEST(DeviceManager, UnknownIdIsNamed) {
  const ScopedEnv env(kVariable, "2");
  const DeviceManager manager;
  try {
    manager.getDevice(3);
    FAIL();
  } catch (const poplar_error &error) {
    EXPECT_STREQ(error.what(), "No such device set id: '3'");
  }
  EXPECT_THROW(manager.getChildDeviceIds(3), poplar_error);
}

TEST(DeviceManager, ChildrenAreTheSmallerDevicesInside) {
  const ScopedEnv env(kVariable, "4");
  const DeviceManager manager;
  EXPECT_THAT(manager.getChildDeviceIds(5), ElementsAre(2, 3));
  EXPECT_THAT(manager.getChildDeviceIds(6, 2), ElementsAre(4, 5));
  EXPECT_THAT(manager.getChildDeviceIds(0), IsEmpty());
}

TEST(DeviceManager, AnIpuIsHeldByOneDeviceAtATime) {
  const ScopedEnv env(kVariable, "4");
  const DeviceManager manager, other;
  const Device single = manager.getDevice(1);
  const Device again = other.getDevice(1);
  const Device pair = manager.getDevice(4); // IPUs 0 and 1
  const Device otherPair = manager.getDevice(5);
  EXPECT_TRUE(single.attach());
  EXPECT_FALSE(single.attach());
  EXPECT_FALSE(again.attach());
  EXPECT_FALSE(pair.attach());
  EXPECT_TRUE(otherPair.attach());
  single.detach();
  EXPECT_TRUE(pair.attach());
  EXPECT_FALSE(again.attach());
}

TEST(DeviceManager, DestructionGivesIpusBack) {
  const ScopedEnv env(kVariable, "1");
  const DeviceManager manager;
  {
    const Device device = manager.getDevice(0);
    EXPECT_TRUE(device.attach());
    EXPECT_FALSE(manager.getDevice(0).attach());
  }
  EXPECT_TRUE(manager.getDevice(0).attach());
}

// The usual way of programs to find a free IPU.
TEST(DeviceManager, FirstFreeDeviceIsFoundByTryingEach) {
  const ScopedEnv env(kVariable, "2");
  const Device busy = DeviceManager().getDevice(0);
  ASSERT_TRUE(busy.attach());
  auto devices = DeviceManager().getDevices(TargetType::IPU, 1);
  const auto found =
      std::find_if(devices.begin(), devices.end(),
                   [](const Device &device) { return device.attach(); });
  ASSERT_NE(found, devices.end());
  const Device mine = std::move(*found);
  EXPECT_EQ(mine.getId(), 1u);
  EXPECT_TRUE(mine.isAttached());
}

} // namespace
