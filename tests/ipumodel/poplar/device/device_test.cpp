#include <poplar/Device.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

using namespace poplar;
using testing::HasSubstr;

namespace {

static_assert(!std::is_copy_constructible<Device>::value, "move-only");
static_assert(std::is_nothrow_move_constructible<Device>::value, "for vectors");

TEST(IpuModel, DefaultsToAWholeIpu2) {
  const Device device = IPUModel().createDevice();
  const Target &target = device.getTarget();
  EXPECT_EQ(target.getTargetType(), TargetType::IPU_MODEL);
  EXPECT_EQ(target.getTargetArchString(), "ipu2");
  EXPECT_EQ(target.getNumTiles(), 1472u);
  EXPECT_EQ(IPUModel("ipu1").createDevice().getTarget().getNumTiles(), 1216u);
}

TEST(IpuModel, FieldsDecideTheTarget) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  model.memoryBytesPerTile = 1024 * 1024;
  model.numWorkerContexts = 8;
  model.minIPUSyncDelay = 77;
  model.exchangeBytesPerCycle = 16;
  model.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
  const Device device = model.createDevice();
  const Target &target = device.getTarget();
  EXPECT_EQ(target.getNumIPUs(), 2u);
  EXPECT_EQ(target.getNumTiles(), 8u);
  EXPECT_EQ(target.getBytesPerTile(), 1024u * 1024);
  EXPECT_EQ(target.getNumWorkerContexts(), 8u);
  EXPECT_EQ(target.getMinIPUSyncDelay(), 77u);
  EXPECT_EQ(target.getMaxIPUSyncDelay(), 77u);
  EXPECT_EQ(target.getExchangeBytesPerCycle(), 16u);
}

TEST(IpuModel, RefusesWhatCannotBeModelled) {
  const auto errorWith = [](void (*change)(IPUModel &)) -> std::string {
    IPUModel model;
    change(model);
    try {
      model.createDevice();
    } catch (const invalid_machine_model &error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(errorWith([](IPUModel &m) { m.tilesPerIPU = 0; }),
              HasSubstr("tilesPerIPU"));
  EXPECT_THAT(errorWith([](IPUModel &m) { m.numIPUs = 0; }),
              HasSubstr("numIPUs"));
  EXPECT_THAT(errorWith([](IPUModel &m) { m.memoryBytesPerTile = ~0u; }),
              HasSubstr("memoryBytesPerTile must be at most"));
  EXPECT_THAT(errorWith([](IPUModel &m) { m.memoryBytesPerTile = 0; }),
              HasSubstr("memoryBytesPerTile"));
  EXPECT_THAT(errorWith([](IPUModel &m) { m.tileClockFrequency = -1; }),
              HasSubstr("tileClockFrequency"));
  EXPECT_THAT(errorWith([](IPUModel &m) { m.dataPathWidth = 12; }),
              HasSubstr("dataPathWidth"));
  EXPECT_THAT(errorWith([](IPUModel &m) { m.IPUVersion = "ipu7"; }),
              HasSubstr("ipu7"));
  EXPECT_THROW(IPUModel("ipu7"), invalid_machine_model);
}

TEST(IpuModel, ComparesEveryField) {
  IPUModel a, b;
  EXPECT_EQ(a, b);
  b.rptCountMax = 1;
  EXPECT_NE(a, b);
}

TEST(IpuModel, OptionsAreChecked) {
  EXPECT_THROW(IPUModel().createDevice({{"noSuchOption", "1"}}),
               invalid_option);
}

TEST(Device, OfAModelHasTheGivenIdOrItsOwn) {
  const IPUModel model;
  EXPECT_EQ(model.createDevice({}, false, 7).getId(), 7u);
  const Device a = model.createDevice(), b = model.createDevice(),
               c = Device::createCPUDevice();
  EXPECT_NE(a.getId(), b.getId());
  EXPECT_NE(b.getId(), c.getId());
}

TEST(Device, OfAModelAlwaysAttaches) {
  for (const bool cpu : {false, true}) {
    const Device device =
        cpu ? Device::createCPUDevice() : IPUModel().createDevice();
    EXPECT_FALSE(device.isAttached());
    EXPECT_TRUE(device.attach());
    EXPECT_TRUE(device.attach());
    EXPECT_TRUE(device.isAttached());
    device.detach();
    EXPECT_FALSE(device.isAttached());
  }
}

TEST(Device, MovesWithEverythingItHas) {
  std::vector<Device> devices;
  devices.push_back(IPUModel().createDevice({}, false, 3));
  devices.push_back(IPUModel().createDevice({}, false, 4));
  devices[0].attach();
  Device device;
  device = std::move(devices[0]);
  EXPECT_EQ(device.getId(), 3u);
  EXPECT_TRUE(device.isAttached());
  EXPECT_THROW(devices[0].getId(), poplar_error);
}

TEST(Device, EmptyOneThrows) {
  const Device device;
  EXPECT_THROW(device.attach(), poplar_error);
  EXPECT_THROW(device.getTarget(), poplar_error);
  EXPECT_THROW(device.supportsRemoteBuffers(), poplar_error);
}

TEST(Device, CpuIsOneTile) {
  const Device device = Device::createCPUDevice();
  EXPECT_EQ(device.getTarget().getTargetType(), TargetType::CPU);
  EXPECT_EQ(device.getTarget().getNumTiles(), 1u);
  EXPECT_TRUE(device.supportsRemoteBuffers());
}

TEST(Device, VirtualDeviceTakesOverTheDevice) {
  Device whole = IPUModel().createDevice();
  const unsigned id = whole.getId();
  const Device part = whole.createVirtualDevice(16);
  EXPECT_EQ(part.getTarget().getTilesPerIPU(), 16u);
  EXPECT_EQ(part.getId(), id);
  EXPECT_THROW(whole.getId(), poplar_error);
}

TEST(Device, ThereIsNoSimulator) {
  EXPECT_THROW(
      Device::createSimulatorDevice(Target::createIPUTarget(1, "ipu2")),
      no_environment);
}

} // namespace
